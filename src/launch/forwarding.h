// Which signals are passed on to the program. Pure: times and reports come in,
// decisions come out. One thread.
//
// A signal from the terminal (si_code SI_KERNEL) is in the program's hands
// already, but for one: when a terminal hangs up, the kernel sends SIGHUP, and
// SIGCONT behind it, to the leader of its session alone (tty_signal_session_leader).
// Where flatout is that leader, because it is all that a terminal, tmux or ssh was
// asked to run, both are passed on; else the leader's death sends SIGHUP to the
// whole group, the program included. What flatout's own doing raised (SIGXFSZ) is
// never passed on. Any other signal waits kGrace for the canary: timeout(1) first kills its
// child and then its group, and both together must count as one. Then the canary
// is asked, and what it has not seen by its answer is forwarded. A report
// covers signals of the same number and sender within kGrace before and after it.
// SIGALRM from the kernel is forwarded: an alarm set before exec is meant for
// the program and is not inherited by fork.
#pragma once

#include <functional>
#include <optional>
#include <utility>
#include <vector>

#include "base/time.h"
#include "launch/canary.h"

namespace flatout::launch {

inline constexpr base::DurationNs kGrace = 20 * base::kMillisecond;
// A canary that has not answered by then (stopped, killed) is not waited for.
inline constexpr base::DurationNs kAnswerLimit = base::kSecond;

// How long the grace is prolonged while the sender is runnable: on a busy machine
// pkill or timeout may lose its core between two of its kill() calls.
inline constexpr base::DurationNs kSenderLimit = 500 * base::kMillisecond;

// Of flatout itself.
struct Self {
  pid_t pid = 0;
  bool leads_session = false;
};

class Forwarding {
 public:
  // `sender_runs` reports whether the process with this pid is in state R.
  explicit Forwarding(std::function<bool(pid_t)> sender_runs, Self self = {})
      : sender_runs_(std::move(sender_runs)), self_(self) {}

  struct Decision {
    std::vector<SignalReport> forward;
    std::optional<std::int32_t> ping;  // ask the canary with this number
  };

  // flatout got a signal.
  void received(const SignalReport& report, base::TimeNs now);
  // flatout got it before the program existed, which therefore has not.
  void received_early(const SignalReport& report, base::TimeNs now);
  void canary_saw(const SignalReport& report, base::TimeNs now);
  void canary_answered(std::int32_t ping, base::TimeNs now);
  void canary_lost(base::TimeNs now);

  Decision decide(base::TimeNs now);
  std::optional<base::TimeNs> deadline() const;  // when to decide again

 private:
  struct Waiting {
    SignalReport report;
    base::TimeNs got = 0;
    base::TimeNs due = 0;
    std::int32_t ping = 0;  // asked with this number, 0 = not yet
    bool early = false;     // forward whatever the canary says
    std::int64_t round = 0;
  };
  struct Seen {
    SignalReport report;
    base::TimeNs at = 0;
    std::int64_t round = 0;
  };
  bool covered(const Waiting& item) const;
  bool is_ours_alone(const SignalReport& report) const;

  std::function<bool(pid_t)> sender_runs_;
  Self self_;
  std::vector<Waiting> waiting_;
  std::vector<Seen> seen_;  // by the canary, of late
  // A long tick may lie between two reads of what was sent at once, so what came
  // in neighbouring rounds of decide() belongs together whatever the time.
  std::int64_t round_ = 0;
  std::int32_t pings_ = 0;
  bool canary_lost_ = false;
};

}  // namespace flatout::launch
