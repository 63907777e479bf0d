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

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "run/activity.h"

namespace flatout::run {

struct StepRanges {
  std::uint16_t lane = 0;
  std::set<std::uint32_t> names;  // numbers of the table
};

// Memory: up to 4096 names. Pure.
class StepRangeFinder {
 public:
  // Whether a name stands for something else than a step; may be empty.
  using IsOther = std::function<bool(std::string_view name)>;
  // `names` must outlive it.
  explicit StepRangeFinder(const NameTable& names, IsOther is_other = {})
      : names_(names), is_other_(std::move(is_other)) {}

  // In order of begin, an outer one before its inner ones. What is no annotation does not count.
  void add(const HostSpan& span);
  std::optional<StepRanges> best() const;

 private:
  // The ranges of one name on one thread.
  struct Group {
    std::set<std::uint32_t> names;
    bool called_step = false;
    std::size_t count = 0;
    std::size_t depth = 0;  // of the first one, in ranges
    std::int64_t first_ns = 0, last_ns = 0, filled_ns = 0;

    void add(const HostSpan& span, std::size_t at_depth);
    bool repeats() const;
  };
  const std::string& name_of(std::uint32_t number);

  const NameTable& names_;
  IsOther is_other_;
  std::map<std::uint32_t, std::string> common_;
  std::map<std::pair<std::uint16_t, std::string>, Group> groups_;
  std::map<std::uint16_t, std::vector<std::int64_t>> open_;
};

}  // namespace flatout::run
