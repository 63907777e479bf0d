// Settings that leave the training as it is to the bit, compared and kept inside the training that
// counts: no trial, and no start but the program's own. One thread.
//
// Only settings that change no number are tried (KnobChanges::kNothing, or kDraws where fetching a
// batch draws none), and only those that can be switched while the program runs and that a block
// of steps shows. Each is held against what stands in pairs of blocks of steps, as a tune does
// (statistics/paired_blocks.h).
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "apply/arms.h"
#include "apply/driven_program.h"
#include "apply/trial.h"
#include "base/time.h"
#include "run/plan.h"
#include "run/tune.h"

namespace flatout::apply {

struct LiveTuned {
  std::vector<run::TuneTrial> trials;   // in the order in which they were decided
  std::vector<run::TuneTrial> skipped;  // not tried, with the reason
  run::Plan plan;                       // what was kept, and is in force
  double search_s = 0;                  // from the first block to the last
  double lost_s = 0;   // by which the search was longer than its steps would have been without it
  std::string cut_by;  // why the search ended before all was tried, one clause; "" = it did not
};

struct LiveTuneOptions {
  Stack present = {};  // that can be switched, of the plan under which the program was started
  base::DurationNs budget_ns = 300 * base::kSecond;
};

// `so_far`: the run until now, whose report says what promises a gain. `decided` is called with
// each row. The program keeps what was kept, and is let go.
LiveTuned tune_live(DrivenProgram& program, const TrialResult& so_far,
                    const LiveTuneOptions& options, const base::Clock& clock,
                    const std::function<void(const run::TuneTrial&)>& decided);

}  // namespace flatout::apply
