#include "trackers/input_file.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <utility>

namespace flatout::trackers {

namespace {
constexpr std::size_t kBufferBytes = 256U << 10;
}  // namespace

InputFile::InputFile(base::UniqueFd fd, std::string name)
    : fd_(std::move(fd)), name_(std::move(name)), buffer_(kBufferBytes, '\0') {}

base::Result<InputFile> InputFile::open(const std::filesystem::path& path) {
  // O_NONBLOCK: a pipe under that name must not keep us.
  base::UniqueFd fd(::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK));
  if (!fd) return base::fail_errno(errno, "cannot read " + path.string());
  struct stat status{};
  if (::fstat(fd.get(), &status) != 0 || !S_ISREG(status.st_mode)) {
    return base::fail(base::ErrorCode::kInvalid, path.string() + " is no regular file");
  }
  return InputFile(std::move(fd), path.string());
}

base::Result<void> InputFile::fill() {
  ssize_t got = 0;
  do {
    got = ::read(fd_.get(), buffer_.data(), buffer_.size());
  } while (got < 0 && errno == EINTR);
  if (got < 0) return base::fail_errno(errno, "cannot read " + name_);
  at_ = 0;
  end_ = static_cast<std::size_t>(got);
  return {};
}

base::Result<std::size_t> InputFile::read(std::span<char> into) {
  if (at_ == end_) {
    if (auto filled = fill(); !filled) return std::unexpected(filled.error());
  }
  const std::size_t count = std::min(into.size(), end_ - at_);
  std::memcpy(into.data(), buffer_.data() + at_, count);
  at_ += count;
  offset_ += count;
  return count;
}

base::Result<bool> InputFile::read_exactly(std::span<char> into) {
  while (!into.empty()) {
    const auto got = read(into);
    if (!got) return std::unexpected(got.error());
    if (*got == 0) return false;
    into = into.subspan(*got);
  }
  return true;
}

}  // namespace flatout::trackers
