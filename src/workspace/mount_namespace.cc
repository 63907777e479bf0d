#include "workspace/mount_namespace.h"

#include <fcntl.h>
#include <sched.h>
#include <sys/mount.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>

namespace flatout::workspace {
namespace {

bool write_text(const char* path, const std::string& text) {
  const int fd = ::open(path, O_WRONLY | O_CLOEXEC);
  if (fd < 0) return false;
  const bool done = ::write(fd, text.data(), text.size()) == static_cast<ssize_t>(text.size());
  const int err = errno;
  ::close(fd);
  errno = err;
  return done;
}

}  // namespace

Line& Line::add(const char* text) {
  while (*text != '\0' && size_ + 1 < sizeof text_) text_[size_++] = *text++;
  return *this;
}

Line& Line::add_fd(int fd) {
  add("/proc/self/fd/");
  char digits[12];
  std::size_t n = 0;
  do digits[n++] = static_cast<char>('0' + fd % 10);
  while ((fd /= 10) != 0);
  while (n > 0 && size_ + 1 < sizeof text_) text_[size_++] = digits[--n];
  return *this;
}

launch::SetupFailure setup_failed(const char* what) { return {.err = errno, .what = what}; }

int open_path(const std::filesystem::path& path) {
  return ::open(path.c_str(), O_PATH | O_CLOEXEC);
}

bool bind(int from, const std::filesystem::path& to, unsigned long flags) {
  return ::mount(Line().add_fd(from).text(), to.c_str(), nullptr, MS_BIND | flags, nullptr) == 0;
}

MountNamespace::MountNamespace()
    : uid_map_(std::to_string(::geteuid()) + " " + std::to_string(::geteuid()) + " 1"),
      gid_map_(std::to_string(::getegid()) + " " + std::to_string(::getegid()) + " 1") {}

launch::SetupFailure MountNamespace::enter(bool user_namespace) const {
  if (::unshare(CLONE_NEWNS | (user_namespace ? CLONE_NEWUSER : 0)) != 0) {
    return setup_failed(user_namespace ? "cannot make a user namespace" : kNoNamespace);
  }
  if (user_namespace &&
      (!write_text("/proc/self/setgroups", "deny") || !write_text("/proc/self/uid_map", uid_map_) ||
       !write_text("/proc/self/gid_map", gid_map_))) {
    return setup_failed("cannot map this user into a namespace");
  }
  // Slave and not private: nothing leaks out either way, and what an automounter
  // mounts later still comes in.
  if (::mount(nullptr, "/", nullptr, MS_REC | MS_SLAVE, nullptr) != 0) {
    return setup_failed("cannot take mounts out of their peer group");
  }
  return {};
}

launch::SetupFailure BoundCopy::enter() const {
  if (const launch::SetupFailure failure = namespace_.enter(user_namespace_);
      failure.what != nullptr) {
    return failure;
  }
  const int copy = open_path(copy_);
  if (copy < 0 || !bind(copy, over_, 0) || ::chdir(over_.c_str()) != 0) {
    return setup_failed("cannot lay the copy over the working directory");
  }
  return {};
}

bool BoundCopy::make(const std::filesystem::path& copy, const std::filesystem::path& over) {
  copy_ = copy;
  over_ = over;
  for (const bool user_namespace : {false, true}) {
    user_namespace_ = user_namespace;
    const pid_t pid = ::fork();
    if (pid == 0) ::_exit(enter().what == nullptr && ::access(".", W_OK) == 0 ? 0 : 1);
    int status = 1;
    while (pid > 0 && ::waitpid(pid, &status, 0) < 0 && errno == EINTR) {
    }
    if (status == 0) return true;
  }
  return false;
}

}  // namespace flatout::workspace
