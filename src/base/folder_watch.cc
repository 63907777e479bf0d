#include "base/folder_watch.h"

#include <poll.h>
#include <sys/inotify.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>

namespace flatout::base {
namespace {

constexpr std::uint32_t kEntryEvents =
    IN_CREATE | IN_DELETE | IN_MOVED_FROM | IN_MOVED_TO | IN_DELETE_SELF | IN_MOVE_SELF;

void drain(int fd) {
  std::array<char, 4096> bytes;
  while (::read(fd, bytes.data(), bytes.size()) > 0) {
  }
}

}  // namespace

FolderWatch::FolderWatch() : fd_(::inotify_init1(IN_CLOEXEC | IN_NONBLOCK)) {}

bool FolderWatch::add(const std::filesystem::path& folder, FolderChange change) {
  if (!fd_) return false;
  const std::uint32_t events = change == FolderChange::kContents ? IN_MODIFY : 0U;
  return ::inotify_add_watch(fd_.get(), folder.c_str(), kEntryEvents | IN_ONLYDIR | events) >= 0;
}

FolderWatch::Woken FolderWatch::wait(DurationNs longest, int output) {
  const SystemClock clock;
  const TimeNs end = clock.monotonic() + longest;
  for (;;) {
    std::array<pollfd, 2> waits = {{{.fd = fd_.get(), .events = POLLIN, .revents = 0},
                                    {.fd = output, .events = 0, .revents = 0}}};
    const DurationNs left = std::max<DurationNs>(0, end - clock.monotonic());
    const timespec rest{.tv_sec = left / kSecond, .tv_nsec = left % kSecond};
    const int ready = ::ppoll(waits.data(), waits.size(), &rest, nullptr);
    if (ready < 0 && errno == EINTR) continue;
    if (ready <= 0) return Woken::kTime;
    if ((waits[1].revents & (POLLERR | POLLHUP)) != 0) return Woken::kReaderGone;
    if ((waits[0].revents & POLLIN) != 0) {
      drain(fd_.get());
      return Woken::kChange;
    }
    if (waits[0].revents != 0 || waits[1].revents != 0) return Woken::kTime;
  }
}

}  // namespace flatout::base
