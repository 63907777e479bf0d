#include "launch/loop.h"

#include <poll.h>

#include <algorithm>
#include <cerrno>

namespace flatout::launch {
namespace {

// Until a signal or a report is there, or until `deadline`.
base::Result<void> wait(const SignalRelay& relay, base::TimeNs now, base::TimeNs deadline) {
  pollfd fds[] = {{.fd = relay.signal_fd(), .events = POLLIN, .revents = 0},
                  {.fd = relay.canary_fd(), .events = POLLIN, .revents = 0}};
  const base::DurationNs left = std::max<base::DurationNs>(0, deadline - now);
  const timespec timeout{.tv_sec = left / base::kSecond, .tv_nsec = left % base::kSecond};
  if (::ppoll(fds, 2, &timeout, nullptr) < 0 && errno != EINTR) {
    return base::fail_errno(errno, "cannot wait for the program");
  }
  return {};
}

}  // namespace

bool Ticker::due(base::TimeNs now) {
  if (now < next_) return false;
  next_ += ((now - next_) / period_ + 1) * period_;
  return true;
}

base::Result<Exit> watch(Child& child, SignalRelay& relay, const base::Clock& clock,
                         base::DurationNs period, const std::function<void(base::TimeNs)>& tick,
                         const BetweenTicks& between) {
  Ticker ticker(clock.monotonic(), period);
  for (;;) {
    if (const auto exit = child.poll_exit()) return *exit;
    for (const SignalReport& signal : relay.pump(clock.monotonic())) child.send(signal);
    const auto soon = between.wait ? between.wait() : std::nullopt;
    if (const base::TimeNs now = clock.monotonic(); ticker.due(now)) {
      tick(now);
    } else if (soon) {
      between.act();
    }
    base::TimeNs deadline = std::min(ticker.next(), relay.deadline().value_or(ticker.next()));
    const base::TimeNs now = clock.monotonic();
    if (soon) deadline = std::min(deadline, now + *soon);
    if (auto waited = wait(relay, now, deadline); !waited) {
      return std::unexpected(waited.error());
    }
  }
}

}  // namespace flatout::launch
