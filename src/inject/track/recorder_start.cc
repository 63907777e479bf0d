#include "inject/track/recorder_start.h"

#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <ctime>

#include "inject/process_state.h"

namespace flatout::inject {
namespace {

struct Start {
  char* const* argv;
  int out;
  int error;  // of the child, which shares this memory until it executes
};

// In the child, on a stack of its own: calls that are safe after vfork() alone.
int run_child(void* from) {
  auto* start = static_cast<Start*>(from);
  // Handlers are gone with execve(); what is ignored would stay so.
  for (const int signal : {SIGPIPE, SIGCHLD, SIGINT, SIGTERM, SIGHUP, SIGQUIT}) {
    struct sigaction usual{};
    usual.sa_handler = SIG_DFL;
    ::sigaction(signal, &usual, nullptr);
  }
  sigset_t none;
  ::sigemptyset(&none);
  ::sigprocmask(SIG_SETMASK, &none, nullptr);
  const int null = ::open("/dev/null", O_RDWR);
  if (::dup2(start->out, STDOUT_FILENO) >= 0 && null >= 0) {
    ::dup2(null, STDIN_FILENO);
    ::dup2(null, STDERR_FILENO);
    ::execve(start->argv[0], start->argv, environ);
  }
  start->error = errno;
  ::_exit(127);
}

// As vfork(), but without SIGCHLD at its end: its parent's handlers and wait() know nothing of it.
int clone_child(Start& start) {
  constexpr std::size_t kStackBytes = 64U << 10;
  void* stack = ::mmap(nullptr, kStackBytes, PROT_READ | PROT_WRITE,
                       MAP_PRIVATE | MAP_ANONYMOUS | MAP_STACK, -1, 0);
  if (stack == MAP_FAILED) return -1;
  sigset_t all, before;
  ::sigfillset(&all);
  ::pthread_sigmask(SIG_SETMASK, &all, &before);
  const int pid =
      ::clone(run_child, static_cast<char*>(stack) + kStackBytes, CLONE_VM | CLONE_VFORK, &start);
  const int error = errno;
  ::pthread_sigmask(SIG_SETMASK, &before, nullptr);
  ::munmap(stack, kStackBytes);
  errno = error;
  return pid;
}

int read_answer(int fd, int timeout_ms, char* answer, std::size_t capacity) {
  const std::int64_t deadline = now_ns() + std::int64_t{timeout_ms} * 1'000'000;
  std::size_t size = 0;
  for (;;) {
    const std::int64_t left_ms = (deadline - now_ns()) / 1'000'000;
    if (left_ms <= 0) return ETIMEDOUT;
    pollfd one{fd, POLLIN, 0};
    if (::poll(&one, 1, static_cast<int>(left_ms)) <= 0) continue;
    const ssize_t bytes = ::read(fd, answer + size, capacity - 1 - size);
    if (bytes < 0 && errno == EINTR) continue;
    if (bytes <= 0) return EPIPE;
    for (const std::size_t end = size + static_cast<std::size_t>(bytes); size < end; ++size) {
      if (answer[size] != '\n') continue;
      answer[size] = '\0';
      return 0;
    }
    if (size + 1 >= capacity) return EMSGSIZE;
  }
}

}  // namespace

int start_recorder(char* const* argv, int timeout_ms, char* answer, std::size_t capacity) {
  int ends[2];
  if (::pipe2(ends, O_CLOEXEC) != 0) return errno;
  Start start{argv, ends[1], 0};
  const int pid = clone_child(start);
  const int clone_error = errno;
  ::close(ends[1]);
  if (pid < 0) {
    ::close(ends[0]);
    return clone_error;
  }
  // The one that was executed ends at once; the recorder is its child.
  while (::waitpid(pid, nullptr, __WALL) < 0 && errno == EINTR) {
  }
  const int error =
      start.error != 0 ? start.error : read_answer(ends[0], timeout_ms, answer, capacity);
  ::close(ends[0]);
  return error;
}

}  // namespace flatout::inject
