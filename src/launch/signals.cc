#include "launch/signals.h"

#include <sys/signalfd.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <utility>

namespace flatout::launch {

namespace {

// proc(5): the state stands after the name. 0 is a sender of another namespace.
bool is_runnable(pid_t pid) {
  if (pid <= 0) return false;
  const auto stat = base::read_file("/proc/" + std::to_string(pid) + "/stat", 4096);
  const auto close = stat ? stat->rfind(") ") : std::string::npos;
  return close != std::string::npos && stat->compare(close, 3, ") R") == 0;
}

}  // namespace

SignalRelay::SignalRelay(SignalState state, base::UniqueFd signals, Canary canary)
    : state_(state),
      signals_(std::move(signals)),
      canary_(std::move(canary)),
      forwarding_(is_runnable, {.pid = ::getpid(), .leads_session = ::getsid(0) == ::getpid()}) {}

base::Result<SignalRelay> SignalRelay::start(std::span<const std::string> command) {
  const SignalState state = SignalState::take_over();
  base::UniqueFd signals(::signalfd(-1, &state.taken(), SFD_CLOEXEC | SFD_NONBLOCK));
  if (!signals) {
    const int err = errno;
    state.restore();
    return base::fail_errno(err, "cannot watch for signals");
  }
  auto canary = Canary::start(command);
  if (!canary) {
    state.restore();
    return std::unexpected(canary.error());
  }
  return SignalRelay(state, std::move(signals), std::move(*canary));
}

void SignalRelay::read_signals(base::TimeNs now, bool early) {
  signalfd_siginfo info{};
  for (;;) {
    const ssize_t n = ::read(signals_.get(), &info, sizeof info);
    if (n < 0 && errno == EINTR) continue;
    if (n != static_cast<ssize_t>(sizeof info)) return;
    const auto signo = static_cast<std::int32_t>(info.ssi_signo);
    if (signo == SIGCHLD) continue;  // only wakes: Child::poll_exit looks itself
    const SignalReport report{.value = static_cast<std::int64_t>(info.ssi_ptr),
                              .signo = signo,
                              .code = info.ssi_code,
                              .sender = static_cast<std::int32_t>(info.ssi_pid)};
    if (early) {
      forwarding_.received_early(report, now);
    } else {
      forwarding_.received(report, now);
    }
  }
}

void SignalRelay::read_canary(base::TimeNs now) {
  while (const auto report = canary_.read()) {
    if (canary_.is_answer(*report)) {
      forwarding_.canary_answered(static_cast<std::int32_t>(report->value), now);
    } else {
      forwarding_.canary_saw(*report, now);
    }
  }
  if (canary_.lost()) forwarding_.canary_lost(now);
}

void SignalRelay::mark_start(base::TimeNs now) { read_signals(now, true); }

std::vector<SignalReport> SignalRelay::pump(base::TimeNs now) {
  read_canary(now);
  read_signals(now, false);
  Forwarding::Decision decision = forwarding_.decide(now);
  if (decision.ping) canary_.ping(*decision.ping);
  return std::move(decision.forward);
}

void SignalRelay::give_back() {
  if (!signals_) return;
  canary_.stop();
  read_signals(0, true);
  signals_ = base::UniqueFd();
  state_.restore();
}

void SignalRelay::finish() {
  give_back();
  ::signal(SIGXFSZ, SIG_IGN);
}

}  // namespace flatout::launch
