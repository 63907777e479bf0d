#include "base/input_file.h"

#include <fcntl.h>
#include <poll.h>
#include <sys/stat.h>

#include <cerrno>
#include <string>

namespace flatout::base {
namespace {

std::unexpected<Error> no_input(const std::filesystem::path& path, const std::string& why) {
  return fail(ErrorCode::kInvalid, path.string() + " " + why);
}

// Names a kind of file that cannot be read to an end, "" = it can.
std::string kind_problem(mode_t mode) {
  if (S_ISDIR(mode)) return "is a folder; name a file in it";
  if (S_ISCHR(mode) || S_ISBLK(mode)) return "is a device; name a file";
  if (S_ISSOCK(mode)) return "is a socket; name a file";
  return "";
}

// Bytes, or an end: the next read(2) does not wait. A signal only ends this wait sooner.
bool has_something(int fd, std::chrono::milliseconds patience) {
  pollfd one{.fd = fd, .events = POLLIN, .revents = 0};
  return ::poll(&one, 1, static_cast<int>(patience.count())) == 1;
}

}  // namespace

Result<UniqueFd> open_input(const std::filesystem::path& path, std::chrono::milliseconds patience) {
  struct stat info{};
  // Before it is opened: a device may do something at that.
  if (::stat(path.c_str(), &info) != 0) return fail_errno(errno, "cannot open " + path.string());
  if (const auto why = kind_problem(info.st_mode); !why.empty()) return no_input(path, why);
  // Without O_NONBLOCK open(2) waits for the writer of a pipe.
  UniqueFd file(::open(path.c_str(), O_RDONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC));
  if (!file) return fail_errno(errno, "cannot open " + path.string());
  if (::fstat(file.get(), &info) != 0) return fail_errno(errno, "cannot open " + path.string());
  if (const auto why = kind_problem(info.st_mode); !why.empty()) return no_input(path, why);
  if (S_ISFIFO(info.st_mode) && !has_something(file.get(), patience)) {
    return no_input(path, "is a pipe into which nobody has written for " +
                              std::to_string(patience.count() / 1000) +
                              " s; start its writer first, or name a file");
  }
  const int flags = ::fcntl(file.get(), F_GETFL);
  if (flags >= 0) (void)::fcntl(file.get(), F_SETFL, flags & ~O_NONBLOCK);
  return file;
}

}  // namespace flatout::base
