#include "launch/foreign_process.h"

#include <poll.h>
#include <sys/ioctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <charconv>
#include <cstdint>
#include <cstring>
#include <string>
#include <utility>

namespace flatout::launch {
namespace {

// linux/pidfd.h of Linux 6.15, which this may be built without.
struct PidfdInfo {
  std::uint64_t mask;
  std::uint64_t cgroup;
  std::uint32_t ids[11];
  std::int32_t exit_code;  // as waitpid gives it
};
static_assert(sizeof(PidfdInfo) == 64);
constexpr std::uint64_t kInfoExit = 8;
constexpr unsigned long kGetInfo = _IOWR(0xFF, 11, PidfdInfo);

std::optional<Exit> exit_from_kernel(int pidfd) {
  PidfdInfo info{};
  info.mask = kInfoExit;
  if (pidfd < 0 || ::ioctl(pidfd, kGetInfo, &info) != 0) return std::nullopt;
  if ((info.mask & kInfoExit) == 0) return std::nullopt;
  return exit_of(info.exit_code);
}

// Of a zombie of the same user: the last field of its stat.
std::optional<Exit> exit_of_zombie(const base::ProcessId& id) {
  const auto text = base::read_file("/proc/" + std::to_string(id.pid) + "/stat", 4096);
  if (!text) return std::nullopt;
  const std::size_t name_end = text->rfind(')');
  if (name_end == std::string::npos || name_end + 2 >= text->size()) return std::nullopt;
  const char state = (*text)[name_end + 2];
  const std::size_t last = text->rfind(' ');
  if ((state != 'Z' && state != 'X') || last == std::string::npos) return std::nullopt;
  int status = 0;
  const char* const begin = text->data() + last + 1;
  const auto read = std::from_chars(begin, text->data() + text->size(), status);
  return read.ec == std::errc{} && read.ptr != begin ? std::optional(exit_of(status))
                                                     : std::nullopt;
}

}  // namespace

base::Result<ForeignProcess> ForeignProcess::open(pid_t pid) {
  const auto id = base::process_id(pid);
  if (!id) {
    return base::fail(base::ErrorCode::kNotFound,
                      "there is no process " + std::to_string(pid) + " to record");
  }
  base::UniqueFd pidfd(static_cast<int>(::syscall(SYS_pidfd_open, pid, 0)));
  return ForeignProcess(*id, std::move(pidfd));
}

bool ForeignProcess::ended() const {
  if (pidfd_) {
    pollfd one{.fd = pidfd_.get(), .events = POLLIN, .revents = 0};
    return ::poll(&one, 1, 0) > 0 && (one.revents & POLLIN) != 0;
  }
  return !base::process_alive(id_);
}

std::optional<Exit> ForeignProcess::exit() const {
  if (const auto said = exit_from_kernel(pidfd_.get())) return said;
  return exit_of_zombie(id_);
}

}  // namespace flatout::launch
