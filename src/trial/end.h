// How a trial is ended: pure state, driven by the caller's tick, who owns the clock
// and reaps (Child::poll_exit) before each. No sleeping. One thread.
//
// It begins with the first of: the main process has ended; all ranks that had their
// steps have ended below a launcher that waits on; the deadline; stop(). Then
// each living process of the trial gets SIGTERM once, also one that is forked
// meanwhile, and from `grace` on SIGKILL at each tick until none is left.
#pragma once

#include <sys/types.h>

#include <cstddef>
#include <optional>
#include <set>
#include <vector>

#include "base/time.h"
#include "launch/signals.h"

namespace flatout::trial {

// The processes of a trial; tests answer instead.
class TrialProcesses {
 public:
  virtual ~TrialProcesses() = default;
  virtual std::vector<pid_t> living() = 0;  // the main one included; no zombies
  virtual void signal(pid_t pid, int signo) = 0;
};

// All descendants of flatout but the canary: orphans come to flatout, as
// Child::start made it their reaper. Nothing else of flatout's may run meanwhile.
class DescendantProcesses final : public TrialProcesses {
 public:
  explicit DescendantProcesses(const launch::SignalRelay& relay) : relay_(relay) {}
  std::vector<pid_t> living() override;
  void signal(pid_t pid, int signo) override;

 private:
  const launch::SignalRelay& relay_;
};

enum class TrialCause {
  kMainEnded,   // by itself, well or not: Child tells
  kRanksEnded,  // all that asked to; the launcher was still there
  kTimeout,
  kStopped,
};

struct TrialLimits {
  std::optional<base::TimeNs> deadline_ns;        // absolute; none = no timeout
  base::DurationNs grace_ns = 5 * base::kSecond;  // from SIGTERM to SIGKILL
  // A rank that has not asked may still be in its last step when the others have ended:
  // so long is waited for it. Where steps take seconds, give several of them.
  base::DurationNs rank_grace_ns = 5 * base::kSecond;
  // Once all ranks have ended well, their launcher ends by itself as a rule, with the
  // exit status that reports so: so long is waited for it.
  base::DurationNs launcher_grace_ns = 3 * base::kSecond;
  // A process that SIGKILL does not end hangs in the kernel: so long it is waited for.
  base::DurationNs kill_grace_ns = 5 * base::kSecond;
};

// What the caller knows at a tick.
struct TrialSight {
  bool main_ended = false;
  std::vector<pid_t> asked = {};  // all that ever said that they end at the close of step N
  std::size_t ranks = 0;          // processes that take steps, 0 = not known
};

class TrialEnd {
 public:
  TrialEnd(TrialProcesses& processes, const TrialLimits& limits)
      : processes_(processes), limits_(limits) {}

  void stop() { stop_ = true; }  // Ctrl-C, the budget is spent

  // True once nothing of the trial is left, or what is left cannot be ended. At
  // most a second apart; nothing happens after that.
  bool tick(base::TimeNs now, const TrialSight& sight);

  // Why it ends; nothing while it goes on.
  std::optional<TrialCause> cause() const { return cause_; }
  bool killed() const { return killed_; }                // SIGTERM was not enough for one of them
  const std::set<pid_t>& seen() const { return seen_; }  // all that ever lived at a tick
  const std::vector<pid_t>& left() const { return left_; }  // after the end: not to be ended

 private:
  std::optional<TrialCause> find_cause(base::TimeNs now, const TrialSight& sight,
                                       const std::vector<pid_t>& living);
  bool end(base::TimeNs now, const std::vector<pid_t>& living);

  TrialProcesses& processes_;
  TrialLimits limits_;
  bool stop_ = false, over_ = false, killed_ = false;
  std::optional<TrialCause> cause_;
  std::optional<base::TimeNs> ranks_gone_ns_;  // since when none that asked is alive
  std::size_t asked_before_ = 0;
  base::TimeNs begun_ns_ = 0;
  std::set<pid_t> seen_, terminated_;
  std::vector<pid_t> left_;
};

}  // namespace flatout::trial
