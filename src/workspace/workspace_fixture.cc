#include "workspace/workspace_fixture.h"

#include <sched.h>
#include <sys/mount.h>
#include <sys/wait.h>

#include <cerrno>
#include <fstream>

namespace flatout::workspace {
namespace {

bool enter_namespaces() {
  if (::unshare(CLONE_NEWNS) == 0) return true;
  const std::string user = std::to_string(::geteuid());
  const std::string group = std::to_string(::getegid());
  if (::unshare(CLONE_NEWUSER | CLONE_NEWNS) != 0) return false;
  std::ofstream("/proc/self/setgroups") << "deny";
  std::ofstream("/proc/self/uid_map") << user + " " + user + " 1";
  std::ofstream("/proc/self/gid_map") << group + " " + group + " 1";
  return true;
}

// The plainest overlay there is, in a child.
bool mount_one(const std::filesystem::path& dir) {
  for (const char* const name : {"lower", "upper", "work", "at"}) {
    std::filesystem::create_directories(dir / name);
  }
  if (::chdir(dir.c_str()) != 0 || !enter_namespaces()) return false;
  ::mount(nullptr, "/", nullptr, MS_REC | MS_PRIVATE, nullptr);
  for (const char* const extra : {"", ",userxattr"}) {
    const std::string options = std::string("lowerdir=lower,upperdir=upper,workdir=work") + extra;
    if (::mount("overlay", "at", "overlay", 0, options.c_str()) == 0) return true;
  }
  return false;
}

}  // namespace

bool kernel_gives_overlay(const std::filesystem::path& dir) {
  const pid_t pid = ::fork();
  if (pid == 0) ::_exit(mount_one(dir / "plain") ? 0 : 1);
  int status = 0;
  while (::waitpid(pid, &status, 0) < 0 && errno == EINTR) {
  }
  return status == 0;
}

}  // namespace flatout::workspace
