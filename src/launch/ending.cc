#include "launch/ending.h"

#include <sys/prctl.h>
#include <sys/resource.h>
#include <unistd.h>

#include <csignal>
#include <cstdio>
#include <cstdlib>

namespace flatout::launch {

void end_like(const Exit& exit) {
  if (exit.signal == 0) std::exit(exit.code);
  std::fflush(nullptr);
  // The limit holds for core files, the flag also for a core_pattern with a pipe.
  const rlimit no_core{.rlim_cur = 0, .rlim_max = 0};
  ::setrlimit(RLIMIT_CORE, &no_core);
  ::prctl(PR_SET_DUMPABLE, 0);
  struct sigaction fallen{};
  fallen.sa_handler = SIG_DFL;
  ::sigaction(exit.signal, &fallen, nullptr);
  sigset_t only;
  sigemptyset(&only);
  sigaddset(&only, exit.signal);
  ::kill(::getpid(), exit.signal);
  ::sigprocmask(SIG_UNBLOCK, &only, nullptr);
  ::_exit(128 + exit.signal);
}

}  // namespace flatout::launch
