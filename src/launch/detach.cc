#include "launch/detach.h"

#include <sys/syscall.h>
#include <unistd.h>

namespace flatout::launch {

bool detach() {
  (void)::syscall(SYS_close_range, STDERR_FILENO + 1, ~0U, 0U);  // 5.9; else they stay
  const pid_t child = ::fork();
  if (child < 0) return false;
  if (child > 0) ::_exit(0);
  (void)::setsid();
  return true;
}

}  // namespace flatout::launch
