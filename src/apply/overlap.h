// Which knobs act on the same thing, so that one may make the other superfluous. Pure.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "run/plan.h"
#include "run/tune.h"

namespace flatout::apply {

// By what is declared of them: loader knobs and threads share the cores and the wait for data;
// precision, layout, compilation, attention and kernels share the time of the device. A knob
// without which the other cannot be set (workers for prefetching) is no overlap.
bool overlap(const std::string& knob, const std::string& later);

struct OverlapPair {
  std::string knob;
  std::string later;  // the first one kept after it that acts on the same thing
};

// Those of `stack` with such a later one, in the order in which they were last kept by `trials`.
std::vector<OverlapPair> overlapping(const std::vector<run::KnobSetting>& stack,
                                     const std::vector<run::TuneTrial>& trials);

}  // namespace flatout::apply
