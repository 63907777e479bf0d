// Steps by ranges that a program marked for itself (NVTX, record_function), where neither the
// profiler marked steps nor an optimizer was seen: with_range("iteration 7"), nvtx.range("step").
//
// Ranges that differ in digits alone are of one name, and those of one name on one thread are a
// group. A name that speaks of epochs, of evaluation or of what has a phase of its own is none. A
// range within one of its own name is part of that. A group may be the steps where
//
//   it fills the time: three ranges or more, in half of the time from their first begin to their
//   last end; or
//
//   it calls itself a step (range_words.h) and does the work, however little of the time it takes,
//   as where a slow loader stands between two steps, or the machine is busy: eight ranges or more;
//   in three of four turns, from the end of one range to the end of the next, half or more of what
//   the thread launches (kernels, graphs) lies in the range; and half or more of all that the
//   thread launches lies between their first begin and their last end. Where the thread launches
//   nothing, what all threads launch counts. Without the host's calls no group is one by this.
//
// So the batches of a loader's start-up, a tokenizer's steps and a scheduler's are none: they
// launch nothing. An update is not, as long as it launches less than what lies before it; else its
// ends are as good as ends of steps. Even distances are not asked for: a loader with four workers
// that is too slow stalls every fourth step. Eight, since of eight ranges in a third of the time,
// with one launch a turn that lies in it by chance, one in fifty would be taken (binomial: six of
// eight or more); of more ranges, of thinner ones and with more launches hardly any.
//
// Those that call themselves a step go before all others. Of several, the outermost is taken among
// those in which at least half as much is launched by their own thread as in the one with most: so
// the ranges of a thread that loads are not the steps. Of the others, the outermost.
//
// Ranges with a begin and an end of their own may lie across each other and across threads: those
// of one name count together, whoever began them, and only where they call themselves a step or lie
// after each other, since several at once are work in flight. All threads' launches are theirs.
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
#include "run/launch_times.h"

namespace flatout::run {

struct StepRanges {
  std::uint16_t lane = 0;  // on which they lie; of kRange the thread that began the first
  HostSpanKind kind = HostSpanKind::kAnnotation;
  std::set<std::uint32_t> names;  // numbers of the table
};

// Memory: up to 4096 names, 8 bytes a launch and 16 a range that calls itself a step, of the first
// million launches. Pure.
class StepRangeFinder {
 public:
  // Whether a name stands for something else than a step; may be empty.
  using IsOther = std::function<bool(std::string_view name)>;
  // `names` must outlive it.
  explicit StepRangeFinder(const NameTable& names, IsOther is_other = {})
      : names_(names), is_other_(std::move(is_other)) {}

  // In order of begin, an outer one before its inner ones. What the program did not mark as a range
  // does not count, but for its launches.
  void add(const HostSpan& span);
  std::optional<StepRanges> best() const;
  // Whether a span is one of `ranges`.
  static bool is_one(const StepRanges& ranges, const HostSpan& span) {
    return span.kind == ranges.kind && ranges.names.contains(span.name) &&
           (span.kind == HostSpanKind::kRange || span.lane == ranges.lane);
  }

 private:
  struct Extent {
    std::int64_t begin_ns = 0;
    std::int64_t end_ns = 0;
  };
  // The ranges of one name on one thread.
  struct Group {
    std::set<std::uint32_t> names;
    bool called_step = false;
    std::size_t count = 0;
    std::size_t across = 0;  // that lie across the one before
    HostSpanKind kind = HostSpanKind::kAnnotation;
    std::uint16_t lane = 0;
    std::size_t depth = 0;  // of the first one, in ranges
    std::int64_t first_ns = 0, last_ns = 0, filled_ns = 0;
    std::vector<Extent> extents;  // none lies across another; of called_step, up to the last launch

    void add(const HostSpan& span, std::size_t at_depth, bool keep);
    bool fills_the_time() const;
    bool does_the_work(const LaunchTimes& launches) const;
    // By its own thread, in its ranges.
    std::size_t launched(const LaunchTimes& launches) const;

   private:
    std::optional<std::uint16_t> launching_lane() const;  // absent: all
  };
  using Candidate = std::pair<const Group*, std::size_t>;  // and what is launched in it

  void add_at(const HostSpan& span, std::uint16_t lane, std::size_t depth);
  const std::string& name_of(std::uint32_t number);
  bool launches(std::uint32_t name);
  std::vector<Candidate> candidates() const;

  const NameTable& names_;
  IsOther is_other_;
  std::map<std::uint32_t, std::string> common_;
  std::vector<std::optional<bool>> launching_;  // by name
  struct Key {
    HostSpanKind kind = HostSpanKind::kAnnotation;
    std::uint16_t lane = 0;  // 0 of kRange
    std::string name;
    friend auto operator<=>(const Key&, const Key&) = default;
  };
  std::map<Key, Group> groups_;
  std::map<std::uint16_t, std::vector<std::int64_t>> open_;
  LaunchTimes launches_;
};

}  // namespace flatout::run
