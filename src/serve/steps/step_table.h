// The steps of the processes of a run that train, one after the other. Values; reading is for any
// thread.
#pragma once

#include <sys/types.h>

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "analyse/analysis.h"
#include "run/phase.h"
#include "run/timeline.h"
#include "serve/steps/step_lengths.h"

namespace flatout::serve {

struct StepRow {
  std::int64_t begin_ns = 0, end_ns = 0;
  float own_ms = 0;
  std::array<float, run::kPhaseCount> phases_ms{};
};

struct StepsOf {
  pid_t pid = 0;
  int rank = -1;  // -1 = not known
  // On which it computes: its number in Timeline::devices.
  std::optional<int> device;
  std::string label;
  std::vector<StepRow> steps;
  std::vector<analyse::Interval> intervals;  // evaluation, and building iterators
  std::size_t warm_up = 0;                   // of the steps; known of the first process
  StepLengths lengths;                       // of the others
};

// Of the process whose steps a report is about first, then the others by rank. Empty without steps.
std::vector<StepsOf> step_tables(const run::Timeline& timeline);
std::size_t bytes_of(const std::vector<StepsOf>& tables);
// Null where that process has none.
const StepsOf* steps_of(const std::vector<StepsOf>& tables, pid_t pid);

}  // namespace flatout::serve
