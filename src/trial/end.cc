#include "trial/end.h"

#include <algorithm>
#include <csignal>

#include "launch/child.h"

namespace flatout::trial {

std::vector<pid_t> DescendantProcesses::living() { return survivors(relay_); }

void DescendantProcesses::signal(pid_t pid, int signo) { ::kill(pid, signo); }

std::optional<TrialCause> TrialEnd::find_cause(base::TimeNs now, const TrialSight& sight,
                                               const std::vector<pid_t>& living) {
  if (stop_) return TrialCause::kStopped;
  if (sight.main_ended) return TrialCause::kMainEnded;
  if (limits_.deadline_ns && now >= *limits_.deadline_ns) return TrialCause::kTimeout;
  const bool one_lives = std::ranges::any_of(
      sight.asked, [&](pid_t pid) { return std::ranges::find(living, pid) != living.end(); });
  if (sight.asked.empty() || one_lives) {
    ranks_gone_ns_.reset();
    return std::nullopt;
  }
  // A rank that asks and ends between two ticks starts the wait anew.
  if (!ranks_gone_ns_ || sight.asked.size() != asked_before_) ranks_gone_ns_ = now;
  asked_before_ = sight.asked.size();
  const bool all = sight.ranks > 0 && sight.asked.size() >= sight.ranks;
  const base::DurationNs grace = all ? limits_.launcher_grace_ns : limits_.rank_grace_ns;
  if (now - *ranks_gone_ns_ >= grace) return TrialCause::kRanksEnded;
  return std::nullopt;
}

// One look of the ending itself.
bool TrialEnd::end(base::TimeNs now, const std::vector<pid_t>& living) {
  if (living.empty()) return true;
  const base::DurationNs since = now - begun_ns_;
  if (since >= limits_.grace_ns + limits_.kill_grace_ns) {
    left_ = living;
    return true;
  }
  for (const pid_t pid : living) {
    if (since >= limits_.grace_ns) {
      killed_ = true;
      processes_.signal(pid, SIGKILL);
    } else if (terminated_.insert(pid).second) {
      processes_.signal(pid, SIGTERM);
    }
  }
  return false;
}

bool TrialEnd::tick(base::TimeNs now, const TrialSight& sight) {
  if (over_) return true;
  const std::vector<pid_t> living = processes_.living();
  seen_.insert(living.begin(), living.end());
  if (!cause_) {
    cause_ = find_cause(now, sight, living);
    begun_ns_ = now;
  }
  // Living ones are what is left to end; the caller reports the main one, whose exit
  // it has to have read.
  over_ = cause_ && end(now, living) && (sight.main_ended || !left_.empty());
  return over_;
}

}  // namespace flatout::trial
