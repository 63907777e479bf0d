#include "base/file.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>

namespace flatout::base {
namespace {

bool own_folder(const std::filesystem::path& path, struct stat& info) {
  return ::lstat(path.c_str(), &info) == 0 && S_ISDIR(info.st_mode) && info.st_uid == ::geteuid();
}

}  // namespace

UniqueFd& UniqueFd::operator=(UniqueFd&& other) noexcept {
  if (this != &other) {
    if (fd_ >= 0) ::close(fd_);
    fd_ = std::exchange(other.fd_, -1);
  }
  return *this;
}

UniqueFd::~UniqueFd() {
  if (fd_ >= 0) ::close(fd_);
}

Result<std::string> read_file(const std::filesystem::path& path, std::size_t limit) {
  const UniqueFd fd(::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK));
  if (!fd) return fail_errno(errno, "cannot open " + path.string());
  struct stat status{};
  // Without a writer a pipe reads as an empty file.
  if (::fstat(fd.get(), &status) == 0 && S_ISFIFO(status.st_mode)) {
    return fail(ErrorCode::kInvalid,
                path.string() + " is a pipe, not a file; write its content into a file first");
  }
  std::string out;
  char buffer[16384];
  for (;;) {
    const ssize_t n = ::read(fd.get(), buffer, sizeof buffer);
    if (n < 0 && errno == EINTR) continue;
    if (n < 0) return fail_errno(errno, "cannot read " + path.string());
    if (n == 0) return out;
    if (out.size() + static_cast<std::size_t>(n) > limit) {
      return fail(ErrorCode::kTooLarge,
                  path.string() + " is larger than " + std::to_string(limit) + " bytes");
    }
    out.append(buffer, static_cast<std::size_t>(n));
  }
}

Result<void> write_all(int fd, std::string_view bytes, const std::string& name) {
  while (!bytes.empty()) {
    const ssize_t n = ::write(fd, bytes.data(), bytes.size());
    if (n < 0 && errno == EINTR) continue;
    if (n < 0) return fail_errno(errno, "cannot write " + name);
    bytes.remove_prefix(static_cast<std::size_t>(n));
  }
  return {};
}

bool is_own_folder(const std::filesystem::path& path) {
  struct stat info{};
  return own_folder(path, info);
}

bool is_private_folder(const std::filesystem::path& path) {
  struct stat info{};
  return own_folder(path, info) && (info.st_mode & 0077) == 0;
}

std::uint64_t file_bytes(const std::filesystem::path& path) {
  struct stat info{};
  const bool regular = ::lstat(path.c_str(), &info) == 0 && S_ISREG(info.st_mode);
  return regular ? static_cast<std::uint64_t>(info.st_size) : 0;
}

Result<void> make_private_dirs(const std::filesystem::path& path) {
  std::filesystem::path part;
  for (const auto& piece : path) {
    part /= piece;
    if (::mkdir(part.c_str(), 0700) == 0 || errno == EEXIST) continue;
    const int err = errno;
    struct stat st{};
    if (::stat(part.c_str(), &st) == 0 && S_ISDIR(st.st_mode)) continue;
    return fail_errno(err, "cannot create directory " + part.string());
  }
  return {};
}

}  // namespace flatout::base
