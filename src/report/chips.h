// The few figures beside the verdict. Each says what the verdict's own finding says, so that the
// two never contradict each other. Internal to report/.
#pragma once

#include <string>
#include <vector>

#include "run/report.h"

namespace flatout::report {

struct Chip {
  std::string name;
  double value = 0;
  std::string shown;
  std::string more = {};  // beside it, "" = nothing
};

// In reading order. Of the verdict's finding its share; how busy the device is only where the two
// can hold at once; what the first fix of fixes_of() gains.
std::vector<Chip> chips_of(const run::Report& report);

// The finding that the verdict is; nullptr where it is none.
const run::Finding* finding_of_verdict(const run::Report& report);

}  // namespace flatout::report
