// The last minutes of what is watched, as a Timeline that is held to a bounded size: whatever goes
// over a Timeline goes over this. One thread.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "base/time.h"
#include "run/sample.h"
#include "run/timeline.h"

namespace flatout::app {

class Window final : public run::SampleSink {
 public:
  static constexpr base::DurationNs kLength = 120 * base::kSecond;
  // Of events of a kind in a process, and of readings of a series.
  static constexpr std::size_t kMostRecords = 60'000;

  // What is new of a run, as store::LogFollower gives it.
  void add(run::Timeline&& more);
  void add(const run::Sample& sample) override;
  // Forgets what lies further back than kLength before `now`, and what is too much.
  void trim(base::TimeNs now);

  run::Timeline& timeline() { return timeline_; }
  const run::Timeline& timeline() const { return timeline_; }
  // Ends of steps or, without any, of updates, that were ever added.
  std::int64_t steps(pid_t pid) const;
  // Since when events are held: of the run, or since they were trimmed.
  base::TimeNs since_ns() const { return since_ns_; }

 private:
  struct Counted {
    std::int64_t updates = 0, ends = 0;
  };
  run::Timeline timeline_;
  std::map<pid_t, Counted> counted_;
  base::TimeNs since_ns_ = 0;
};

}  // namespace flatout::app
