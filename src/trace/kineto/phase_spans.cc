#include "trace/kineto/phase_spans.h"

#include <algorithm>
#include <map>
#include <utility>

#include "run/host_calls.h"
#include "run/step_ranges.h"
#include "trace/kineto/passes.h"
#include "trace/kineto/span_phase.h"

namespace flatout::trace {
namespace {

using run::HostSpan;
using run::HostSpanKind;
using run::Phase;

// What a name stands for.
struct Meaning {
  std::optional<Phase> phase;
  bool backward = false;
  bool step = false;
  bool transfer = false;
  bool forward_begin = false;
};

// Looked up once for each name.
class Meanings {
 public:
  explicit Meanings(const run::NameTable& names) : names_(names) {}

  const Meaning& of(const HostSpan& span) {
    const std::uint64_t key = std::uint64_t{span.name} << 8 | static_cast<unsigned>(span.kind);
    const auto known = known_.find(key);
    if (known != known_.end()) return known->second;
    const std::string_view name = names_.at(span.name);
    const bool op = span.kind == HostSpanKind::kOp;
    return known_[key] = {span_phase(span.kind, name), op && is_backward(name),
                          is_profiler_step(name), op && is_transfer(name),
                          op && starts_forward(name)};
  }

 private:
  const run::NameTable& names_;
  std::map<std::uint64_t, Meaning> known_;
};

// With the most marked steps, else with the most updates.
std::optional<std::uint16_t> step_lane(std::span<const HostSpan> spans, Meanings& meanings) {
  std::map<std::uint16_t, std::uint64_t> marks, updates;
  for (const HostSpan& span : spans) {
    if (span.kind == HostSpanKind::kRange || span.kind == HostSpanKind::kMark) continue;
    const Meaning& means = meanings.of(span);
    if (means.step) ++marks[span.lane];
    if (means.phase == Phase::kOptimizer) ++updates[span.lane];
  }
  const auto& counts = marks.empty() ? updates : marks;
  if (counts.empty()) return std::nullopt;
  return std::ranges::max_element(counts, {}, [](const auto& entry) { return entry.second; })
      ->first;
}

// Correlations of copies to a device, sorted.
std::vector<std::uint64_t> copies_to_device(std::span<const run::DeviceActivity> activities) {
  std::vector<std::uint64_t> out;
  for (const run::DeviceActivity& activity : activities) {
    if (activity.direction != run::CopyDirection::kHostToDevice) continue;
    if (activity.correlation != 0) out.push_back(activity.correlation);
  }
  std::ranges::sort(out);
  return out;
}

// Goes over the spans of the step thread.
class StepThreadWalk {
 public:
  StepThreadWalk(StepThread& found, Passes& passes, const run::NameTable& names,
                 std::vector<std::uint64_t> copies)
      : found_(found), passes_(passes), names_(names), copies_(std::move(copies)) {}

  // A step; one within another is part of it.
  void mark(const HostSpan& span) {
    std::int64_t begin_ns = span.begin_ns;
    if (!found_.marks.empty() && begin_ns < found_.marks.back().end_ns) {
      const std::int64_t last_ns = found_.marks.back().end_ns;
      if (span.kind != HostSpanKind::kRange || span.end_ns <= last_ns) return;
      begin_ns = last_ns;  // of ranges that lie across each other
    }
    found_.marks.push_back({begin_ns, span.end_ns, Phase::kStep});
  }
  void add(const HostSpan& span, const Meaning& means) {
    if (means.step) mark(span);
    if (span.begin_ns < taken_until_) return;
    if (means.transfer && (!transfer_ || span.begin_ns >= transfer_->end_ns)) transfer_ = span;
    if (means.phase) {
      add_phase(span, *means.phase);
    } else if (is_copy_to_device(span)) {
      add_copy(span);
    } else if (means.forward_begin && !(transfer_ && span.begin_ns < transfer_->end_ns)) {
      passes_.op(span.begin_ns);
    }
  }

 private:
  void add_phase(const HostSpan& span, Phase phase) {
    found_.phases.push_back({span.begin_ns, span.end_ns, phase});
    if (phase == Phase::kDataWait) {
      taken_until_ = span.end_ns;
      found_.fetches_itself |= fetches_in_step_thread(names_.at(span.name));
    }
    if (phase == Phase::kDataWait || phase == Phase::kOptimizer) passes_.boundary(span.end_ns);
    if (phase == Phase::kOptimizer) passes_.update(span.begin_ns);
    if (phase == Phase::kForward) passes_.forward_seen();
  }

  bool is_copy_to_device(const HostSpan& span) const {
    return span.kind == HostSpanKind::kCall && run::is_copy_call(names_.at(span.name)) &&
           std::ranges::binary_search(copies_, span.correlation);
  }

  void add_copy(const HostSpan& call) {
    const bool inside = transfer_ && call.end_ns <= transfer_->end_ns;
    const HostSpan& whole = inside ? *transfer_ : call;
    found_.phases.push_back({whole.begin_ns, whole.end_ns, Phase::kH2d});
    taken_until_ = whole.end_ns;
  }

  StepThread& found_;
  Passes& passes_;
  const run::NameTable& names_;
  std::vector<std::uint64_t> copies_;
  std::int64_t taken_until_ = 0;      // what begins before it belongs to a phase that was added
  std::optional<HostSpan> transfer_;  // the last op that may copy, an outermost one
};

}  // namespace

std::optional<StepThread> find_step_thread(std::span<const HostSpan> spans,
                                           std::span<const run::DeviceActivity> activities,
                                           const run::NameTable& names) {
  Meanings meanings(names);
  std::optional<std::uint16_t> lane = step_lane(spans, meanings);
  std::optional<run::StepRanges> ranges;
  if (!lane) {
    run::StepRangeFinder finder(names, [](std::string_view name) {
      return span_phase(HostSpanKind::kAnnotation, name).has_value();
    });
    for (const HostSpan& span : spans) finder.add(span);
    ranges = finder.best();
    if (!ranges) return std::nullopt;
    lane = ranges->lane;
  }
  StepThread found;
  found.lane = *lane;
  Passes passes;
  StepThreadWalk walk(found, passes, names, copies_to_device(activities));
  for (const HostSpan& span : spans) {
    const Meaning& means = meanings.of(span);
    if (means.backward) passes.function(span.begin_ns, span.end_ns);
    if (ranges && run::StepRangeFinder::is_one(*ranges, span)) walk.mark(span);
    const bool apart = span.kind == HostSpanKind::kRange || span.kind == HostSpanKind::kMark;
    if (span.lane != *lane || apart) continue;
    walk.add(span, means);
  }
  for (const PhaseSpan& mark : found.marks) passes.update(mark.end_ns);
  passes.add_to(found.phases);
  std::ranges::stable_sort(found.phases, [](const PhaseSpan& a, const PhaseSpan& b) {
    return a.begin_ns != b.begin_ns ? a.begin_ns < b.begin_ns : a.end_ns > b.end_ns;
  });
  return found;
}

}  // namespace flatout::trace
