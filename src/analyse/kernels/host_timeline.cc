#include "analyse/kernels/host_timeline.h"

#include <algorithm>
#include <iterator>
#include <limits>
#include <map>
#include <span>
#include <utility>

#include "analyse/kernels/name_cache.h"
#include "analyse/kernels/python_place.h"
#include "run/host_calls.h"
#include "run/threads.h"

namespace flatout::analyse {
namespace {

using run::HostSpan;
using run::HostSpanKind;

HostState call_state(std::string_view name) {
  if (run::is_sync_call(name)) return HostState::kSync;
  if (run::is_copy_call(name)) return HostState::kCopy;
  return run::is_setup_call(name) ? HostState::kSetup : HostState::kFramework;
}

// What a span's name says of a wait below it.
enum class Caller : std::uint8_t { kNone, kOwn, kLibrary, kOp, kFunction, kRange };

Caller python_caller(std::string_view name) {
  switch (python_code(name)) {
    case PythonCode::kOwn:
      return Caller::kOwn;
    case PythonCode::kLibrary:
      return Caller::kLibrary;
    case PythonCode::kNoFile:
      break;
  }
  // One that bears an object's address is another name each time.
  const bool of_object = name.find(" object at ") != std::string_view::npos;
  return of_object || built_in_name(name).empty() ? Caller::kNone : Caller::kFunction;
}

bool is_step_mark(std::string_view name) { return name.starts_with("ProfilerStep"); }

// Beside ops (aten::item) PyTorch marks parts of a step as such: "Optimizer.step#SGD.step".
Caller op_caller(std::string_view name) {
  if (is_step_mark(name) || name.starts_with("autograd::engine::")) return Caller::kNone;
  return name.find("::") != std::string_view::npos ? Caller::kOp : Caller::kRange;
}

}  // namespace

// The spans of one lane, in order of begin, to changes of its state and to its waits.
class HostTimeline::LaneWalk {
 public:
  void begin(const HostSpan& span, HostState state, Caller caller) {
    close_until(span.begin_ns);
    // One that reaches beyond the span around it is cut there.
    const std::int64_t end = open_.empty() ? span.end_ns : std::min(span.end_ns, open_.back().end);
    if (end <= span.begin_ns) return;
    // A call of the driver's within one of the runtime's is that one wait.
    const bool waits =
        state == HostState::kSync && (open_.empty() || open_.back().state != HostState::kSync);
    if (waits) waits_.push_back({span.begin_ns, end, who(span)});
    open_.push_back({end, span.name, state, caller});
    change(span.begin_ns, state);
  }
  void range(const HostSpan& span) { ranges_.push_back({span.end_ns, span.name}); }
  Changes finish() {
    close_until(std::numeric_limits<std::int64_t>::max());
    return std::move(changes_);
  }
  std::vector<WaitCall> take_waits() { return std::move(waits_); }

 private:
  struct Open {
    std::int64_t end = 0;
    std::uint32_t name = 0;
    HostState state = HostState::kNothing;
    Caller caller = Caller::kNone;
  };
  struct Range {
    std::int64_t end = 0;
    std::uint32_t name = 0;
  };

  WaitCaller who(const HostSpan& call) {
    WaitCaller who;
    who.api = call.name;
    std::erase_if(ranges_, [&](const Range& range) { return range.end <= call.begin_ns; });
    if (!ranges_.empty()) who.range = ranges_.back().name;
    std::uint32_t function = 0;
    for (auto open = open_.rbegin(); open != open_.rend() && who.own == 0; ++open) {
      if (open->caller == Caller::kOwn) who.own = open->name;
      if (open->caller == Caller::kLibrary && who.by == 0) who.by = open->name;
      if (open->caller == Caller::kFunction && function == 0) function = open->name;
      if (open->caller == Caller::kOp) who.op = open->name;
      if (open->caller == Caller::kRange && who.range == 0) who.range = open->name;
    }
    if (who.op == 0) who.op = function;
    return who;
  }
  void close_until(std::int64_t t_ns) {
    while (!open_.empty() && open_.back().end <= t_ns) {
      const std::int64_t end = open_.back().end;
      open_.pop_back();
      change(end, open_.empty() ? HostState::kNothing : open_.back().state);
    }
  }
  void change(std::int64_t t_ns, HostState state) { changes_.change(t_ns, state); }

  Changes changes_;
  std::vector<Open> open_;
  std::vector<Range> ranges_;  // some of them over
  std::vector<WaitCall> waits_;
};

HostTimeline::HostTimeline(const run::ProcessTrack& process, const run::NameTable& names,
                           std::optional<StepThread> thread)
    : HostTimeline(
          process, names, thread,
          thread
              ? std::make_shared<const HostPhases>(process, *thread, std::span<const TimeWindow>())
              : std::make_shared<const HostPhases>(),
          {std::numeric_limits<std::int64_t>::min(), std::numeric_limits<std::int64_t>::max()}) {}

HostTimeline::HostTimeline(const run::ProcessTrack& process, const run::NameTable& names,
                           std::optional<StepThread> thread,
                           std::shared_ptr<const HostPhases> phases, const TimeWindow& window,
                           std::shared_ptr<const WaitSpans> sites)
    : phases_(std::move(phases)), sites_(std::move(sites)) {
  if (thread) step_lane_ = thread->lane;
  add_spans(process, names, process.host_spans.between(window.begin_ns, window.end_ns));
  std::ranges::stable_sort(launches_, {}, [](const auto& entry) { return entry.first; });
}

void HostTimeline::add_launch(const HostSpan& span, std::uint16_t lane, HostState state) {
  const Launch launch{span.begin_ns, span.end_ns, lane, state};
  launches_.emplace_back(span.correlation, launch);
  last_launched_ = span.correlation;
}

void HostTimeline::add_spans(const run::ProcessTrack& process, const run::NameTable& names,
                             const run::RecordRange<HostSpan>& spans) {
  const run::Threads threads(process);
  NameCache calls(names, call_state);
  NameCache callers(names, python_caller);
  NameCache ops(names, op_caller);
  NameCache step_marks(names, is_step_mark);
  std::map<std::uint16_t, LaneWalk> walks;
  const auto walk = [&](std::uint16_t lane) -> LaneWalk& {
    const auto known = walks.find(lane);
    if (known != walks.end()) return known->second;
    return walks.try_emplace(lane).first->second;
  };
  for (const HostSpan& span : spans) {
    const std::uint16_t lane = threads.of(span.lane);
    switch (span.kind) {
      case HostSpanKind::kAnnotation:
        // A mark of the program's: what it does there is what lies in it.
        if (!step_marks.of(span.name)) walk(lane).range(span);
        walk(lane);
        break;
      case HostSpanKind::kRange:
      case HostSpanKind::kMark:
        break;  // which says nothing of what its thread does
      case HostSpanKind::kPython:
        walk(lane).begin(span, HostState::kPython, callers.of(span.name));
        break;
      case HostSpanKind::kOp:
        walk(lane).begin(span, HostState::kFramework, ops.of(span.name));
        break;
      case HostSpanKind::kCall: {
        const HostState state = calls.of(span.name);
        walk(lane).begin(span, state, Caller::kNone);
        if (span.correlation != 0) add_launch(span, lane, state);
        add_held(span, lane, state);
        break;
      }
    }
  }
  for (auto& [lane, one] : walks) {
    lanes_.emplace(lane, one.finish());
    std::vector<WaitCall> waits = one.take_waits();
    if (waits.empty()) continue;
    for (WaitCall& wait : waits) {
      if (sites_) wait.caller.site = sites_->site_at(lane, wait.begin_ns);
    }
    waits_.emplace(lane, std::move(waits));
  }
}

std::optional<Launch> HostTimeline::launch(std::uint64_t correlation) const {
  if (correlation == 0) return std::nullopt;
  // A call of the runtime and the driver's below it may share the number: the outer one is first.
  const auto found = std::ranges::lower_bound(launches_, correlation, {},
                                              [](const auto& entry) { return entry.first; });
  if (found == launches_.end() || found->first != correlation) return std::nullopt;
  return found->second;
}

const HostTimeline::Changes* HostTimeline::lane_changes(std::uint16_t lane) const {
  const auto found = lanes_.find(lane);
  return found != lanes_.end() ? &found->second : nullptr;
}

std::vector<HostPiece> HostTimeline::between(std::uint16_t lane, std::int64_t from_ns,
                                             std::int64_t to_ns) const {
  std::vector<HostPiece> pieces;
  const Changes* own = lane_changes(lane);
  const Changes* step = lane_changes(step_lane_.value_or(0));
  while (from_ns < to_ns) {
    std::int64_t until = std::min(to_ns, phases_->next_change(from_ns));
    HostState state = phases_->at(from_ns);
    for (const Changes* changes : {own, step}) {
      if (state != HostState::kNothing) break;
      if (changes == nullptr) continue;
      state = changes->at(from_ns);
      until = std::min(until, changes->next_change(from_ns));
    }
    if (!pieces.empty() && pieces.back().state == state) {
      pieces.back().end_ns = until;
    } else {
      pieces.push_back({from_ns, until, state});
    }
    from_ns = until;
  }
  return pieces;
}

// Of a call of the runtime and the driver's below it the outer one, which comes first.
void HostTimeline::add_held(const HostSpan& span, std::uint16_t lane, HostState state) {
  if (state != HostState::kSync && state != HostState::kCopy) return;
  std::vector<HeldCall>& held = held_[lane];
  if (!held.empty() && span.begin_ns < held.back().end_ns) return;
  held.push_back({span.begin_ns, span.end_ns, state});
}

std::span<const HeldCall> HostTimeline::held(std::uint16_t lane) const {
  const auto found = held_.find(lane);
  return found != held_.end() ? std::span(found->second) : std::span<const HeldCall>();
}

const WaitCall* HostTimeline::wait_of(std::uint16_t lane, std::int64_t t_ns) const {
  const auto found = waits_.find(lane);
  if (found == waits_.end()) return nullptr;
  const auto after = std::ranges::upper_bound(found->second, t_ns, {}, &WaitCall::begin_ns);
  if (after == found->second.begin()) return nullptr;
  const WaitCall& wait = *std::prev(after);
  return t_ns < wait.end_ns ? &wait : nullptr;
}

const WaitCall* HostTimeline::wait_at(std::uint16_t lane, std::int64_t t_ns) const {
  const WaitCall* own = wait_of(lane, t_ns);
  return own != nullptr || !step_lane_ ? own : wait_of(*step_lane_, t_ns);
}

}  // namespace flatout::analyse
