// Steps by ranges that a program marked for itself (NVTX, record_function), where neither the
// profiler marked steps nor an optimizer was seen: with_range("iteration 7"), nvtx.range("step").
//
// Ranges that differ in digits alone are of one name. Of the names that come three times or more on
// one thread and fill half of the time from their first begin to their last end, the outermost is
// taken: first of those that call themselves a step, an iteration or a batch, else of all. A name
// that speaks of epochs, of evaluation or of what has a phase of its own is none. A range within
// one of its own name is part of that.
//
// A step then goes from the end of one such range to the end of the next: what lies between, such
// as the fetch of a batch, is the next one's.
#pragma once

#include <cstdint>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <string_view>

#include "run/activity.h"

namespace flatout::trace {

struct StepRanges {
  std::uint16_t lane = 0;
  std::set<std::uint32_t> names;  // numbers of the table
};

// `spans` are in order of begin, an outer one before its inner ones.
std::optional<StepRanges> find_step_ranges(std::span<const run::HostSpan> spans,
                                           const run::NameTable& names);

}  // namespace flatout::trace
