#include "launch/signal_state.h"

namespace flatout::launch {
namespace {

struct sigaction given_file_size{};  // SIG_DFL until it is taken
bool file_size_ignored = false;

}  // namespace

bool is_relayed(int signo) {
  switch (signo) {
    case SIGKILL:
    case SIGSTOP:
    case SIGCHLD:
    case SIGPIPE:
    case SIGTSTP:
    case SIGTTIN:
    case SIGTTOU:
    case SIGCONT:
    case SIGSEGV:
    case SIGBUS:
    case SIGILL:
    case SIGFPE:
    case SIGTRAP:
    case SIGSYS:
    case SIGABRT:
      return false;
    default:
      // The C library keeps the real-time signals below SIGRTMIN for itself.
      return signo >= 1 && signo < NSIG && (signo < 32 || signo >= SIGRTMIN);
  }
}

SignalState SignalState::take_over() {
  SignalState out;
  sigemptyset(&out.taken_);
  sigaddset(&out.taken_, SIGCHLD);
  for (int signo = 1; signo < NSIG; ++signo) {
    if (is_relayed(signo)) sigaddset(&out.taken_, signo);
  }
  sigprocmask(SIG_BLOCK, &out.taken_, &out.mask_);
  struct sigaction ours{};
  ours.sa_handler = SIG_DFL;
  sigaction(SIGCHLD, &ours, &out.child_);
  ours.sa_handler = SIG_IGN;
  sigaction(SIGPIPE, &ours, &out.pipe_);
  return out;
}

void SignalState::restore() const noexcept {
  sigaction(SIGCHLD, &child_, nullptr);
  sigaction(SIGPIPE, &pipe_, nullptr);
  sigprocmask(SIG_SETMASK, &mask_, nullptr);
}

void ignore_file_size_signal() {
  struct sigaction ours{};
  ours.sa_handler = SIG_IGN;
  file_size_ignored = sigaction(SIGXFSZ, &ours, &given_file_size) == 0;
}

void restore_file_size_signal() noexcept {
  if (file_size_ignored) sigaction(SIGXFSZ, &given_file_size, nullptr);
}

}  // namespace flatout::launch
