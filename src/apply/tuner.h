// The tuning loop: baseline, one knob after the other on top of what was kept,
// and a last comparison of all of it with the baseline. Starts nothing by itself:
// a TrialRunner does. One thread.
//
// A knob's trials alternate with trials of what was kept so far (A A B A B ...),
// until statistics/sequential.h decides. After each keep the program is diagnosed
// again from the trial that was kept.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "apply/trial.h"
#include "apply/user_knob.h"
#include "base/result.h"
#include "base/time.h"
#include "run/report.h"
#include "run/tune.h"

namespace flatout::apply {

struct TuneOptions {
  std::optional<base::DurationNs> budget_ns;  // of the whole; absent = until nothing is left to try
  std::vector<std::string> knobs;             // only these; empty = all
  std::vector<UserKnob> user_knobs = {};      // beside flatout's own
  run::Risk most_risk = run::Risk::kRounding;
  std::optional<std::uint64_t> steps;  // of a trial; absent = as many as the noise asks for
  // How long a training will be that uses the plan: the search ends where the next change is likely
  // to save less of it than trying it takes. Absent = it does not end for that.
  std::optional<base::DurationNs> training_ns = {};
  base::DurationNs first_timeout_ns = 600 * base::kSecond;  // while nothing is known of the program
};

// What is known before the first comparison.
struct TunePlan {
  struct Change {
    std::string what;  // "num_workers 0 -> 6"; the knob alone where its values are searched
    std::optional<run::Speedup> predicted;
    bool fits = true;  // into the budget, with those before it
  };
  int likely_trials =
      0;  // and blocks, still to come, by what promises a gain now; 0 = nothing does
  std::uint64_t steps = 0;
  base::DurationNs trial_ns = 0;     // about, of one
  base::DurationNs likely_ns = 0;    // about, of all
  std::vector<Change> changes = {};  // in the order in which they are tried
};

// Told what goes on. Every function may do nothing.
class TuneListener {
 public:
  virtual ~TuneListener() = default;
  // `what`: "baseline", "num_workers 0 -> 6", "final".
  virtual void trial_begins(const std::string& what, const std::optional<run::Speedup>& predicted,
                            std::optional<base::DurationNs> left_ns) = 0;
  virtual void planned(const TunePlan& plan) = 0;
  // After the first trial: the budget is too short for one comparison, of `trial_ns` a trial
  // (`start_up_ns` of it before the first step ends); about `needed_ns` in all would do.
  virtual void too_short(base::DurationNs needed_ns, base::DurationNs trial_ns,
                         base::DurationNs start_up_ns) {
    (void)needed_ns, (void)trial_ns, (void)start_up_ns;
  }
  virtual void baseline(const run::TuneReport& so_far) = 0;
  virtual void decided(const run::TuneTrial& trial) = 0;
};

// Errors: the runner's; kUnavailable where the baseline itself cannot be
// measured, with the reason and the next step. An interrupted or exhausted
// budget is no error: what was kept until then is in the report.
base::Result<run::TuneReport> tune(TrialRunner& runner, const TuneOptions& options,
                                   const base::Clock& clock, TuneListener& listener);

}  // namespace flatout::apply
