#include "host/text_file.h"

#include <fcntl.h>
#include <unistd.h>

#include <array>
#include <cerrno>

#include "base/file.h"

namespace flatout::host {
namespace {
constexpr std::size_t kMaxTextBytes = 64U << 10;
}

std::optional<std::string_view> read_text(const std::filesystem::path& path) {
  thread_local std::array<char, kMaxTextBytes> buffer;
  const base::UniqueFd fd(::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK));
  if (!fd) return std::nullopt;
  std::size_t size = 0;
  while (size < buffer.size()) {
    const ssize_t n = ::read(fd.get(), buffer.data() + size, buffer.size() - size);
    if (n < 0 && errno == EINTR) continue;
    if (n < 0) return std::nullopt;  // ESRCH: the process ended after the open
    if (n == 0) break;
    size += static_cast<std::size_t>(n);
  }
  return std::string_view(buffer.data(), size);
}

std::filesystem::path pid_file(const std::filesystem::path& proc, int pid, std::string_view file) {
  std::string path = proc.native();
  path += '/';
  path += std::to_string(pid);
  if (!file.empty()) {
    path += '/';
    path += file;
  }
  return path;
}

}  // namespace flatout::host
