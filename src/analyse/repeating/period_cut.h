// Where a repeating step begins or ends, in the activities of a device.
#pragma once

#include <cstddef>
#include <cstdint>

namespace flatout::analyse {

enum class PeriodCutKind : std::uint8_t {
  kBegin,  // with an activity, which ends the step before it
  kEnd,    // with the activity of a step that is not there as a whole
  kLast,   // with the end of all activities before
};
struct PeriodCut {
  std::size_t at = 0;  // the activity's number
  PeriodCutKind kind = PeriodCutKind::kBegin;
};

}  // namespace flatout::analyse
