// Small files and descriptors. Nothing here caches; every function may be
// called from any thread.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>
#include <utility>

#include "base/result.h"

namespace flatout::base {

// Owns a file descriptor.
class UniqueFd {
 public:
  UniqueFd() = default;
  explicit UniqueFd(int fd) : fd_(fd) {}
  UniqueFd(UniqueFd&& other) noexcept : fd_(std::exchange(other.fd_, -1)) {}
  UniqueFd& operator=(UniqueFd&& other) noexcept;
  UniqueFd(const UniqueFd&) = delete;
  UniqueFd& operator=(const UniqueFd&) = delete;
  ~UniqueFd();

  int get() const { return fd_; }
  explicit operator bool() const { return fd_ >= 0; }
  int release() { return std::exchange(fd_, -1); }

 private:
  int fd_ = -1;
};

// The whole file, up to `limit` bytes; more is kTooLarge. Works for procfs,
// whose files report size 0. Does not wait for the writer of a pipe.
Result<std::string> read_file(const std::filesystem::path& path, std::size_t limit = 16U << 20);

// Writes a file that is either there whole or not at all (temporary + rename).
Result<void> write_file_atomic(const std::filesystem::path& path, std::string_view content);

// Writes all bytes, resuming after short writes and EINTR.
Result<void> write_all(int fd, std::string_view bytes, const std::string& name);

// A folder of this user's, and no link to one.
bool is_own_folder(const std::filesystem::path& path);
// The same, and nobody else may look into it.
bool is_private_folder(const std::filesystem::path& path);

// Of a regular file; 0 where there is none, nor of a link to one.
std::uint64_t file_bytes(const std::filesystem::path& path);

// Creates `path` and its missing parents, each with mode 0700.
Result<void> make_private_dirs(const std::filesystem::path& path);

}  // namespace flatout::base
