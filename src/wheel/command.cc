// bin/flatout of a wheel: finds the native program in the package, and becomes it.
#include <sys/auxv.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <initializer_list>

#include "wheel/installed_program.h"

namespace {

using flatout::wheel::find_installed_program;
using flatout::wheel::kPathBytes;

constexpr int kMissing = 1;
constexpr int kNotExecutable = 126;  // as a shell has it

// The folder of this file, with links followed (pipx, uv and users link it into a folder on
// PATH), or as it was called.
bool own_folder(bool follow, char (&folder)[kPathBytes]) {
  if (follow) {
    const ssize_t length = ::readlink("/proc/self/exe", folder, kPathBytes - 1);
    if (length <= 0) return false;
    folder[length] = '\0';
  } else {
    const auto* called = reinterpret_cast<const char*>(::getauxval(AT_EXECFN));
    // An absolute path of its folder, whose own links stay.
    if (called == nullptr || called[0] != '/' || std::strlen(called) >= kPathBytes) return false;
    std::strcpy(folder, called);
  }
  char* slash = std::strrchr(folder, '/');
  if (slash == nullptr || slash == folder) return false;
  *slash = '\0';
  return true;
}

int cannot_start(const char* program) {
  const int error = errno;
  const char* next = error == EACCES || error == EPERM
                         ? "its folder must be readable, its file executable (chmod +x) and its "
                           "file system not mounted noexec"
                         : "install flatout's wheel again";
  std::fprintf(stderr, "flatout: cannot start %s: %s; %s\n", program, std::strerror(error), next);
  return kNotExecutable;
}

}  // namespace

int main(int /*argc*/, char** argv) {
  char folder[kPathBytes] = "";
  char program[kPathBytes];
  for (const bool follow : {true, false}) {
    if (own_folder(follow, folder) && find_installed_program(folder, FLATOUT_VERSION, program)) {
      ::execv(program, argv);
      return cannot_start(program);
    }
  }
  (void)own_folder(true, folder);
  std::fprintf(stderr,
               "flatout: the package flatout is not beside this command: no "
               "flatout/_prefix/bin/flatout in the folder above %s, nor in its "
               "lib/python*/site-packages; install flatout's wheel again, or start it by `python "
               "-m flatout` with the Python that has the package\n",
               folder);
  return kMissing;
}
