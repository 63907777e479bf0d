#include "base/ready_write.h"

#include <fcntl.h>
#include <poll.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

#include <climits>
#include <string>

#include "base/file.h"

namespace flatout::base {
namespace {

// A pipe or terminal opened anew has flags of its own: what else writes to it stays as it is.
UniqueFd opened_anew(int fd) {
  const std::string path = "/proc/self/fd/" + std::to_string(fd);
  return UniqueFd(::open(path.c_str(), O_WRONLY | O_APPEND | O_NONBLOCK | O_NOCTTY | O_CLOEXEC));
}

bool has_room(int fd) {
  pollfd one{.fd = fd, .events = POLLOUT, .revents = 0};
  return ::poll(&one, 1, 0) == 1 && (one.revents & POLLOUT) != 0;
}

}  // namespace

// PIPE_BUF bytes go into a pipe that has room as one piece.
bool write_if_ready(int fd, std::string_view line) {
  line = line.substr(0, PIPE_BUF);
  struct stat info{};
  if (::fstat(fd, &info) != 0 || !has_room(fd)) return false;
  ssize_t done = 0;
  if (S_ISSOCK(info.st_mode)) {
    done = ::send(fd, line.data(), line.size(), MSG_DONTWAIT | MSG_NOSIGNAL);
  } else {
    const bool may_wait = S_ISFIFO(info.st_mode) || S_ISCHR(info.st_mode);
    const UniqueFd own = may_wait ? opened_anew(fd) : UniqueFd();
    done = ::write(own ? own.get() : fd, line.data(), line.size());
  }
  return done == static_cast<ssize_t>(line.size());
}

}  // namespace flatout::base
