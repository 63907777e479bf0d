// The levels of loops in a sequence of kernels, and which of them is the step: kernel_period.h says
// how.
#pragma once

#include <cstddef>
#include <vector>

#include "analyse/repeating/recurrence.h"

namespace flatout::analyse {

struct PeriodLevel {
  std::size_t length = 0;
  std::vector<Recurrence> members;

  // The kernel that marks where a period begins: one of an optimizer first, then the most regular.
  const Recurrence& anchor() const;
  bool updates() const;
};

// Shortest first.
std::vector<PeriodLevel> period_levels(std::vector<Recurrence> recurrences);

// Drops the levels whose periods have their length in common, but not their kernels.
void keep_repeated_content(const KernelSequence& sequence, std::vector<PeriodLevel>& levels);

// Null where there is none, or too little speaks for it.
const PeriodLevel* level_of_steps(const KernelSequence& sequence,
                                  const std::vector<PeriodLevel>& levels);

}  // namespace flatout::analyse
