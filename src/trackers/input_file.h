// A regular file that is read from its first byte to its last. One thread.
#pragma once

#include <cstdint>
#include <filesystem>
#include <span>
#include <string>

#include "base/file.h"
#include "base/result.h"

namespace flatout::trackers {

class InputFile {
 public:
  // kInvalid of what is no regular file; the last part of the path may not be a symbolic link.
  static base::Result<InputFile> open(const std::filesystem::path& path);

  // As many as there are, at most into.size().
  base::Result<std::size_t> read(std::span<char> into);
  // Reads exactly so many; false at the end of the file, also where only some were left.
  base::Result<bool> read_exactly(std::span<char> into);
  std::uint64_t offset() const { return offset_; }
  const std::string& name() const { return name_; }

 private:
  InputFile(base::UniqueFd fd, std::string name);
  base::Result<void> fill();

  base::UniqueFd fd_;
  std::string name_;
  std::string buffer_;
  std::size_t at_ = 0;
  std::size_t end_ = 0;
  std::uint64_t offset_ = 0;
};

}  // namespace flatout::trackers
