// Steps by ranges that a program marked for itself (NVTX, record_function), where neither the
// profiler marked steps nor an optimizer was seen: with_range("iteration 7"), nvtx.range("step").
//
// Ranges that differ in digits alone are of one name. Of the names that come three times or more on
// one thread and fill half of the time from their first begin to their last end, the outermost is
// taken: first of those that call themselves a step, an iteration or a batch, else of all. A name
// that speaks of epochs, of evaluation or of what has a phase of its own is none. A range within
// one of its own name is part of that.
//
// Ranges with a begin and an end of their own may lie across each other and across threads: those
// of one name count together, whoever began them, and only where they call themselves a step or lie
// after each other, since several at once are work in flight.
//
// A step then goes from the end of one such range to the end of the next: what lies between, such
// as the fetch of a batch, is the next one's.
#pragma once

#include <compare>
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
  std::uint16_t lane = 0;  // on which they lie; of kRange the thread that began the first
  HostSpanKind kind = HostSpanKind::kAnnotation;
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

  // In order of begin, an outer one before its inner ones. What the program did not mark as a range
  // does not count.
  void add(const HostSpan& span);
  std::optional<StepRanges> best() const;
  // Whether a span is one of `ranges`.
  static bool is_one(const StepRanges& ranges, const HostSpan& span) {
    return span.kind == ranges.kind && ranges.names.contains(span.name) &&
           (span.kind == HostSpanKind::kRange || span.lane == ranges.lane);
  }

 private:
  // The ranges of one name on one thread.
  struct Group {
    std::set<std::uint32_t> names;
    bool called_step = false;
    std::size_t count = 0;
    std::size_t across = 0;  // that lie across the one before
    std::uint16_t lane = 0;
    std::size_t depth = 0;  // of the first one, in ranges
    std::int64_t first_ns = 0, last_ns = 0, filled_ns = 0;

    void add(const HostSpan& span, std::size_t at_depth);
    bool repeats() const;
  };
  void add_at(const HostSpan& span, std::uint16_t lane, std::size_t depth);
  const std::string& name_of(std::uint32_t number);

  const NameTable& names_;
  IsOther is_other_;
  std::map<std::uint32_t, std::string> common_;
  struct Key {
    HostSpanKind kind = HostSpanKind::kAnnotation;
    std::uint16_t lane = 0;  // 0 of kRange
    std::string name;
    friend auto operator<=>(const Key&, const Key&) = default;
  };
  std::map<Key, Group> groups_;
  std::map<std::uint16_t, std::vector<std::int64_t>> open_;
};

}  // namespace flatout::run
