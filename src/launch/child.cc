#include "launch/child.h"

#include <fcntl.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <cstring>

#include "base/file.h"
#include "base/kernel_clock.h"
#include "base/time.h"
#include "launch/start_error.h"

namespace flatout::launch {
namespace {

struct Pipe {
  base::UniqueFd in;
  base::UniqueFd out;
};

base::Result<Pipe> make_pipe() {
  int ends[2] = {};
  if (::pipe2(ends, O_CLOEXEC) != 0) return base::fail_errno(errno, "cannot make a pipe");
  return Pipe{base::UniqueFd(ends[0]), base::UniqueFd(ends[1])};
}

// Until the parent has closed its end of the gate, by its will or by its death.
void wait_at(const Pipe& gate) {
  ::close(gate.out.get());  // this process's own copy of that end
  char none = 0;
  while (::read(gate.in.get(), &none, 1) < 0 && errno == EINTR) {
  }
}

// Why nothing was executed, as the child says it; it fits into a pipe at once.
struct Refusal {
  int err = 0;
  char setup[256] = {};  // what the hook could not do, "" = exec itself was refused
};

void report(int pipe, const Refusal& refusal) {
  ssize_t n = 0;
  do {
    n = ::write(pipe, &refusal, sizeof refusal);
  } while (n < 0 && errno == EINTR);
}

// In the child, between fork and exec: nothing here may allocate or lock. What
// is refused goes through the pipe, which a successful exec closes.
[[noreturn]] void become(char* const* argv, char* const* env, const SignalState& signals,
                         const Pipe& gate, const ChildSetup& setup, int failure_pipe) {
  signals.restore();
  wait_at(gate);
  Refusal refusal;
  if (const SetupFailure failure = setup ? setup() : SetupFailure{}; failure.what != nullptr) {
    refusal.err = failure.err;
    std::strncpy(refusal.setup, failure.what, sizeof refusal.setup - 1);
  } else {
    restore_file_size_signal();
    ::execvpe(argv[0], argv, env);
    refusal.err = errno;
  }
  report(failure_pipe, refusal);
  ::_exit(127);
}

// Nothing when exec went through.
std::optional<Refusal> read_refusal(int pipe) {
  Refusal refusal;
  for (;;) {
    const ssize_t n = ::read(pipe, &refusal, sizeof refusal);
    if (n < 0 && errno == EINTR) continue;
    if (n != static_cast<ssize_t>(sizeof refusal)) return std::nullopt;
    return refusal;
  }
}

base::Error error_of(const std::string& command, const Refusal& refusal) {
  if (refusal.setup[0] == '\0') {
    base::Error error = start_error(command, refusal.err);
    // It may be what flatout adds to the environment that is too much.
    if (refusal.err == E2BIG) error.code = base::ErrorCode::kIo;
    return error;
  }
  return {base::ErrorCode::kIo,
          "cannot run " + command + ": " + refusal.setup + ": " + std::strerror(refusal.err)};
}

}  // namespace

Exit exit_of(int status) {
  if (WIFSIGNALED(status)) return {.code = 0, .signal = WTERMSIG(status)};
  return {.code = WEXITSTATUS(status), .signal = 0};
}

base::Result<Child> Child::start(std::span<const std::string> argv,
                                 std::span<const std::string> env, SignalRelay& relay,
                                 const std::function<void(pid_t)>& before_exec,
                                 const ChildSetup& in_child) {
  std::vector<char*> args = c_strings(argv);
  std::vector<char*> vars = c_strings(env);
  auto gate = make_pipe();
  if (!gate) return std::unexpected(gate.error());
  auto failure = make_pipe();
  if (!failure) return std::unexpected(failure.error());
  // Orphans of the program then come to flatout and can be followed.
  ::prctl(PR_SET_CHILD_SUBREAPER, 1);

  relay.mark_start(base::kernel_monotonic_ns());
  const pid_t pid = ::fork();
  if (pid < 0) {
    const int err = errno;
    ::prctl(PR_SET_CHILD_SUBREAPER, 0);  // exec keeps it, and flatout may become the program
    return std::unexpected(start_error(argv[0], err));
  }
  if (pid == 0) {
    become(args.data(), vars.data(), relay.state(), *gate, in_child, failure->out.get());
  }

  failure->out = base::UniqueFd();
  if (before_exec) before_exec(pid);
  gate->out = base::UniqueFd();
  if (const auto refusal = read_refusal(failure->in.get())) {
    while (::waitpid(pid, nullptr, 0) < 0 && errno == EINTR) {
    }
    ::prctl(PR_SET_CHILD_SUBREAPER, 0);
    return std::unexpected(error_of(argv[0], *refusal));
  }
  return Child(pid);
}

std::optional<Exit> Child::poll_exit() {
  for (;;) {
    int status = 0;
    const pid_t pid = ::waitpid(-1, &status, WNOHANG);
    if (pid < 0 && errno == EINTR) continue;
    if (pid <= 0) return exit_;
    if (pid == pid_) exit_ = exit_of(status);
  }
}

void Child::send(const SignalReport& signal) const {
  if (exit_) return;
  if (signal.code != SI_QUEUE) {
    ::kill(pid_, signal.signo);
    return;
  }
  sigval value{};
  // The bits that the sender queued.  NOLINTNEXTLINE(performance-no-int-to-ptr)
  value.sival_ptr = reinterpret_cast<void*>(static_cast<std::intptr_t>(signal.value));
  ::sigqueue(pid_, signal.signo, value);
}

std::vector<pid_t> survivors(const SignalRelay& relay) {
  std::vector<pid_t> out = descendants(::getpid());
  std::erase(out, relay.canary_pid());
  return out;
}

}  // namespace flatout::launch
