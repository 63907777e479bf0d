// A CheckReport: a run held against a budget. Made by check, shown by report. A figure that could
// not be measured is absent.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "run/comparison.h"
#include "run/report.h"

namespace flatout::run {

// How much worse a figure of steps is than in a baseline, with the 95 % interval of
// analyse/compare/speedup.h. Where `relative`, as a share of the baseline's (0.05: steps that take
// 5 % longer, 5 % fewer samples a second); else the difference (0.05: 5 points of a share).
struct Worsening {
  std::string figure;  // "step.mean_ms", "phase.data_wait"
  double before = 0;
  double after = 0;
  bool relative = true;
  double change = 0;  // below 0: it is better
  double lo = 0;
  double hi = 0;
};

enum class CheckOutcome : std::uint8_t {
  kWithin,       // the limit is kept; of a baseline: not proved worse than allowed
  kOver,         // it is not; of a baseline: proved worse than allowed
  kNotMeasured,  // there is no such figure
  kNotShown,     // strict, and the interval holds both what is allowed and what is not
};

// One line of a budget.
struct CheckLine {
  std::string id;    // as the budget has it: "limits.step.median_ms"
  std::string unit;  // of the figures, as run::Figure has it; "" = the line has none
  CheckOutcome outcome = CheckOutcome::kWithin;
  bool failed = false;  // not kept, or absent and not optional
  bool optional = false;
  std::optional<double> value;        // of the run
  std::optional<double> least, most;  // that are allowed
  std::optional<double> worse_by;     // that is allowed against the baseline
  std::optional<Worsening> change;    // where it is held against the baseline
  std::string text;                   // one sentence without a full stop: what was found
};

struct CheckReport {
  ComparedRun run;
  std::vector<std::string> command;
  std::optional<ComparedRun> baseline;
  std::size_t block_steps = 0;  // of the bootstrap, 0 without a baseline
  std::vector<Caution> cautions;
  std::string budget;            // its file
  std::vector<CheckLine> lines;  // in the order of the budget
  bool passed = true;            // no line failed
};

}  // namespace flatout::run
