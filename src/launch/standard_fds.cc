#include "launch/standard_fds.h"

#include <dirent.h>
#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <charconv>
#include <cstring>
#include <memory>

namespace flatout::launch {

base::Result<void> reserve_standard_fds() {
  for (int fd = 0; fd <= 2; ++fd) {
    if (::fcntl(fd, F_GETFD) >= 0) continue;
    // The lowest free number is fd, as those below it are open by now.
    if (::open("/dev/null", O_RDWR | O_CLOEXEC) < 0) {
      return base::fail_errno(errno, "cannot open /dev/null");
    }
  }
  return {};
}

InheritedFds InheritedFds::list() {
  InheritedFds out;
  struct Close {
    void operator()(DIR* dir) const { ::closedir(dir); }
  };
  const std::unique_ptr<DIR, Close> dir(::opendir("/proc/self/fd"));
  if (!dir) return out;  // without procfs nothing is released, which is only less tidy
  while (const dirent* entry = ::readdir(dir.get())) {
    const char* const end = entry->d_name + std::strlen(entry->d_name);
    int fd = -1;
    if (std::from_chars(entry->d_name, end, fd).ptr != end || fd <= 2) continue;
    const int flags = ::fcntl(fd, F_GETFD);
    if (flags >= 0 && (flags & FD_CLOEXEC) == 0) out.fds_.push_back(fd);
  }
  return out;
}

void InheritedFds::release() {
  for (const int fd : fds_) ::close(fd);
  fds_.clear();
  const int null = ::open("/dev/null", O_RDWR | O_CLOEXEC);
  if (null < 0) return;
  ::dup3(null, STDIN_FILENO, O_CLOEXEC);
  ::dup3(null, STDOUT_FILENO, O_CLOEXEC);
  ::close(null);
}

}  // namespace flatout::launch
