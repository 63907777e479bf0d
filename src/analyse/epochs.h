// Where epochs begin among the steps, and what lies between the steps: what a rate by the clock
// needs beside the steps' own times. Pure.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <set>
#include <vector>

#include "analyse/steps.h"

namespace flatout::analyse {

// The intervals in one step's window.
struct Between {
  std::int64_t epoch_gap_ns = 0;
  std::int64_t eval_ns = 0;
};

struct Epochs {
  // Numbers of the steps in which the first batch of an epoch is drawn, in order. The program's
  // first epoch is among them.
  std::vector<std::size_t> begins;
  std::vector<Between> between;  // of each step
  // Building the iterator of the first epoch, which is start-up and in no step.
  std::int64_t first_build_ns = 0;
  // The last step was not cut off by the program's end: the draw behind it ended the epoch.
  bool last_step_whole = false;

  // Steps of the epochs that were seen from begin to end, mean. Absent without one.
  std::optional<double> steps(std::size_t all_steps) const;
};

// An epoch begins with the first batch of an iterator of `iterators`, and with the first after it
// ended or was built again: loaders with persistent workers give the same iterator each time.
Epochs find_epochs(const StepCut& cut, const std::set<std::uint32_t>& iterators);

}  // namespace flatout::analyse
