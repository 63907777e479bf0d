#include "analyse/repeating/ranged_steps.h"

#include <algorithm>
#include <string>
#include <utility>

#include "analyse/kernels/traced_windows.h"
#include "run/step_ranges.h"
#include "run/threads.h"

namespace flatout::analyse {
namespace {

class RangeCutter {
 public:
  explicit RangeCutter(std::vector<TimeWindow> windows, bool whole)
      : windows_(std::move(windows)), whole_(whole) {}

  void add(const run::HostSpan& range) {
    const bool across = range.kind == run::HostSpanKind::kRange && range.end_ns > last_ns_;
    if (begun_ && range.begin_ns < last_ns_ && !across) return;  // within one of its own name
    if (!begun_ && whole_) last_ns_ = range.begin_ns;
    const bool known = begun_ ? in_one_window(last_ns_, range.end_ns) : whole_;
    if (known && range.end_ns > last_ns_) steps_.push_back(whole_step(last_ns_, range.end_ns));
    last_ns_ = range.end_ns;
    begun_ = true;
  }
  std::vector<Step> take() { return std::move(steps_); }

 private:
  bool in_one_window(std::int64_t begin_ns, std::int64_t end_ns) const {
    if (windows_.size() < 2) return true;
    return std::ranges::any_of(windows_, [&](const TimeWindow& window) {
      return window.begin_ns <= begin_ns && end_ns <= window.end_ns;
    });
  }

  const std::vector<TimeWindow> windows_;
  const bool whole_;
  bool begun_ = false;
  std::int64_t last_ns_ = 0;  // the end of the last range
  std::vector<Step> steps_;
};

// What lies between two windows is not known, and so no time that ranges could fill.
class KnownTime {
 public:
  explicit KnownTime(const std::vector<TimeWindow>& windows) : windows_(windows) {}

  // In order of begin.
  run::HostSpan of(run::HostSpan span) {
    while (next_ < windows_.size() && windows_[next_].begin_ns <= span.begin_ns) {
      if (next_ > 0) left_out_ns_ += windows_[next_].begin_ns - windows_[next_ - 1].end_ns;
      ++next_;
    }
    span.begin_ns -= left_out_ns_;
    span.end_ns -= left_out_ns_;
    return span;
  }

 private:
  const std::vector<TimeWindow>& windows_;
  std::size_t next_ = 0;
  std::int64_t left_out_ns_ = 0;
};

// "iteration 12" -> "iteration #".
std::string without_number(std::string_view name) {
  std::string out;
  for (const char c : name) {
    const bool digit = c >= '0' && c <= '9';
    if (!digit) out += c;
    if (digit && (out.empty() || out.back() != '#')) out += '#';
  }
  return out;
}

std::optional<RepeatingSteps> ranged_steps_of(const run::Timeline& timeline, pid_t pid,
                                              const run::ProcessTrack& process) {
  const std::vector<TimeWindow> windows = traced_windows(process);
  run::StepRangeFinder finder(*timeline.names);
  KnownTime known(windows);
  for (const run::HostSpan& span : process.host_spans) finder.add(known.of(span));
  const std::optional<run::StepRanges> ranges = finder.best();
  if (!ranges) return std::nullopt;
  const bool whole = traced_as_a_whole(timeline, process);
  RangeCutter cutter(windows, whole);
  for (const run::HostSpan& span : process.host_spans) {
    if (run::StepRangeFinder::is_one(*ranges, span)) cutter.add(span);
  }
  RepeatingSteps found{.pid = pid,
                       .device = 0,
                       .lane = run::Threads(process).of(ranges->lane),
                       .activities = 0,
                       .ranges = without_number(timeline.names->at(*ranges->names.begin())),
                       .gapless = whole,
                       .steps = cutter.take()};
  if (found.steps.size() < kLeastRepeatingSteps) return std::nullopt;
  return found;
}

}  // namespace

std::optional<RepeatingSteps> find_ranged_steps(const run::Timeline& timeline) {
  std::optional<RepeatingSteps> best;
  if (!timeline.names || !timeline.info.trace_file.empty()) return best;
  for (const auto& [pid, process] : timeline.processes) {
    auto found = ranged_steps_of(timeline, pid, process);
    if (found && (!best || found->steps.size() > best->steps.size())) best = std::move(found);
  }
  return best;
}

std::optional<RepeatingSteps> find_unmarked_steps(const run::Timeline& timeline) {
  auto found = find_ranged_steps(timeline);
  return found ? std::move(found) : find_repeating_steps(timeline);
}

}  // namespace flatout::analyse
