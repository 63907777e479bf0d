// One file of a copy: a reflink, else the kernel's own copying, else read and write.
#include <fcntl.h>
#include <linux/fs.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <string_view>
#include <vector>

#include "base/file.h"
#include "workspace/copy.h"
#include "workspace/mounts.h"

namespace flatout::workspace {
namespace {

namespace fs = std::filesystem;

// Without touching the time of the last access, where the file is ours. A file that
// would make its reader wait gives an error.
base::UniqueFd open_to_read(const fs::path& path) {
  constexpr int kFlags = O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC;
  base::UniqueFd fd(::open(path.c_str(), kFlags | O_NOATIME));
  if (!fd && errno == EPERM) fd = base::UniqueFd(::open(path.c_str(), kFlags));
  return fd;
}

base::Result<void> read_and_write(int from, int to, std::uint64_t size, const std::string& name) {
  std::vector<char> buffer(1U << 20);
  while (size > 0) {
    const ssize_t n = ::read(from, buffer.data(), std::min<std::uint64_t>(size, buffer.size()));
    if (n < 0 && errno == EINTR) continue;
    if (n < 0) return base::fail_errno(errno, "cannot read " + name);
    if (n == 0) return {};
    size -= static_cast<std::uint64_t>(n);
    const std::string_view part(buffer.data(), static_cast<std::size_t>(n));
    if (auto done = base::write_all(to, part, "the copy of " + name); !done) return done;
  }
  return {};
}

// `size` bytes and no more: what was counted against the limits.
base::Result<void> copy_content(int from, int to, std::uint64_t size, const std::string& name) {
  if (::ioctl(to, FICLONE, from) == 0) return {};
  while (size > 0) {
    const ssize_t n = ::copy_file_range(from, nullptr, to, nullptr, size, 0);
    if (n < 0 && errno == EINTR) continue;
    // At an early end, or not between these file systems: what is left, if any.
    if (n <= 0) return read_and_write(from, to, size, name);
    size -= static_cast<std::uint64_t>(n);
  }
  return {};
}

}  // namespace

base::Result<void> copy_regular(const fs::path& from, const fs::path& to) {
  const base::UniqueFd in = open_to_read(from);
  struct stat info{};
  if (!in || ::fstat(in.get(), &info) != 0) {
    return base::fail(base::ErrorCode::kUnavailable, "cannot read " + from.string());
  }
  const base::UniqueFd out(
      ::open(to.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600));
  if (!out) return base::fail_errno(errno, "cannot create " + to.string());
  if (auto done = copy_content(in.get(), out.get(), static_cast<std::uint64_t>(info.st_size),
                               from.string());
      !done)
    return done;
  if (::geteuid() == 0 && ::fchown(out.get(), info.st_uid, info.st_gid) != 0) {
    return base::fail_errno(errno, "cannot set the owner of " + to.string());
  }
  const timespec times[] = {info.st_atim, info.st_mtim};
  if (::fchmod(out.get(), info.st_mode & 0777) != 0 || ::futimens(out.get(), times) != 0) {
    return base::fail_errno(errno, "cannot set the mode of " + to.string());
  }
  return {};
}

fs::path copied_link(const fs::path& target, const fs::path& at, const fs::path& from,
                     const fs::path& to) {
  const fs::path meant = target.is_absolute() ? target : from / at / target;
  const fs::path normal = meant.lexically_normal();
  const bool inside =
      normal == from || normal == from / "" || !relative_below(normal, from).empty();
  if (target.is_absolute()) return inside ? to / normal.lexically_relative(from) : target;
  const fs::path step = (at / target).lexically_normal();
  const bool leaves = !step.empty() && *step.begin() == "..";
  if (!leaves) return target;
  return inside ? to / normal.lexically_relative(from) : meant;
}

}  // namespace flatout::workspace
