#include "trace/kineto/step_phases.h"

#include <algorithm>
#include <cstdint>
#include <map>
#include <optional>
#include <vector>

#include "run/facts.h"
#include "trace/kineto/span_phase.h"

namespace flatout::trace {
namespace {

using run::HostSpan;
using run::Phase;

struct PhaseSpan {
  std::int64_t begin_ns = 0;
  std::int64_t end_ns = 0;
  Phase phase = Phase::kOther;
};

// What a name stands for, looked up once for each.
struct Meaning {
  std::optional<Phase> phase;
  bool backward = false;
  bool step = false;
};

class StepPhases {
 public:
  StepPhases(std::span<const HostSpan> spans, const run::NameTable& names)
      : spans_(spans), names_(names) {}

  void add_to(run::ProcessTrack& track) {
    const std::optional<std::uint16_t> lane = step_lane();
    if (!lane) return;
    for (run::Lane& one : track.lanes) one.is_main = one.lane == *lane;
    collect(*lane);
    add_backward();
    std::ranges::stable_sort(found_, [](const PhaseSpan& a, const PhaseSpan& b) {
      return a.begin_ns != b.begin_ns ? a.begin_ns < b.begin_ns : a.end_ns > b.end_ns;
    });
    write(*lane, track);
    if (loads_itself_) track.facts.push_back(loader_fact());
  }

 private:
  const Meaning& meaning(const HostSpan& span) {
    const std::uint64_t key = std::uint64_t{span.name} << 8 | static_cast<unsigned>(span.kind);
    const auto known = meanings_.find(key);
    if (known != meanings_.end()) return known->second;
    const std::string_view name = names_.at(span.name);
    return meanings_[key] = {span_phase(span.kind, name), is_backward(name),
                             is_profiler_step(name)};
  }

  // With the most marked steps, else with the most updates, else with the most backward passes of
  // its own.
  std::optional<std::uint16_t> step_lane() {
    std::map<std::uint16_t, std::uint64_t> marks, updates;
    for (const HostSpan& span : spans_) {
      const Meaning& means = meaning(span);
      if (means.step) ++marks[span.lane];
      if (means.phase == Phase::kOptimizer) ++updates[span.lane];
    }
    const auto& counts = marks.empty() ? updates : marks;
    if (counts.empty()) return std::nullopt;
    return std::ranges::max_element(counts, {}, [](const auto& entry) { return entry.second; })
        ->first;
  }

  void collect(std::uint16_t lane) {
    std::int64_t fetched_until = 0;
    for (const HostSpan& span : spans_) {
      const Meaning& means = meaning(span);
      if (means.backward) backward_.push_back({span.begin_ns, span.end_ns, Phase::kBackward});
      if (span.lane != lane) continue;
      if (means.step) marks_.push_back({span.begin_ns, span.end_ns, Phase::kStep});
      if (!means.phase || span.begin_ns < fetched_until) continue;
      if (means.phase == Phase::kDataWait) {
        fetched_until = span.end_ns;
        loads_itself_ |= fetches_in_step_thread(names_.at(span.name));
      }
      found_.push_back({span.begin_ns, span.end_ns, *means.phase});
    }
  }

  // Where a pass ends: at the next update, or the end of the marked step.
  std::vector<std::int64_t> boundaries() const {
    std::vector<std::int64_t> ends;
    for (const PhaseSpan& mark : marks_) ends.push_back(mark.end_ns);
    for (const PhaseSpan& span : found_) {
      if (span.phase == Phase::kOptimizer) ends.push_back(span.begin_ns);
    }
    std::ranges::sort(ends);
    return ends;
  }

  void add_backward() {
    const std::vector<std::int64_t> ends = boundaries();
    auto next = ends.begin();
    std::optional<PhaseSpan> pass;
    for (const PhaseSpan& function : backward_) {
      while (next != ends.end() && *next <= function.begin_ns) {
        if (pass) found_.push_back(*pass);
        pass.reset();
        ++next;
      }
      if (!pass) {
        pass = function;
      } else {
        pass->end_ns = std::max(pass->end_ns, function.end_ns);
      }
    }
    if (pass) found_.push_back(*pass);
  }

  void write(std::uint16_t lane, run::ProcessTrack& track) {
    lane_ = lane;
    events_ = &track.phases.own();
    auto mark = marks_.begin();
    if (mark != marks_.end()) put_mark(mark->begin_ns);  // the first step begins here
    for (const PhaseSpan& span : found_) {
      for (; mark != marks_.end() && mark->end_ns <= span.begin_ns; ++mark) {
        close_until(mark->end_ns);
        put_mark(mark->end_ns);
      }
      if (!marks_.empty() && (mark == marks_.end() || span.begin_ns < marks_.front().begin_ns)) {
        continue;  // outside of the steps
      }
      close_until(span.begin_ns);
      const std::int64_t holder_end = open_.empty() ? span.end_ns : open_.back().end_ns;
      const std::int64_t step_end = mark != marks_.end() ? mark->end_ns : span.end_ns;
      open({span.begin_ns, std::min({span.end_ns, holder_end, step_end}), span.phase});
    }
    for (; mark != marks_.end(); ++mark) {
      close_until(mark->end_ns);
      put_mark(mark->end_ns);
    }
    while (!open_.empty()) close_until(open_.back().end_ns);
  }

  void open(const PhaseSpan& span) {
    put(span.begin_ns, span.phase, true);
    open_.push_back(span);
  }
  void close_until(std::int64_t t_ns) {
    while (!open_.empty() && open_.back().end_ns <= t_ns) {
      put(open_.back().end_ns, open_.back().phase, false);
      open_.pop_back();
    }
  }
  void put(std::int64_t t_ns, Phase phase, bool begin) {
    const bool forward = phase == Phase::kForward;
    const bool fetch = phase == Phase::kDataWait;
    events_->push_back({.t_ns = t_ns,
                        .flags = run::kMarked | (forward || fetch ? run::kGradEnabled : 0) |
                                 (forward ? run::kTraining : 0),
                        .lane = lane_,
                        .phase = phase,
                        .begin = begin});
  }
  void put_mark(std::int64_t t_ns) { put(t_ns, Phase::kStep, false); }

  static run::Fact loader_fact() {
    return {
        .t_ns = 0, .key = std::string(run::facts::kLoader), .json = R"({"loader":0,"workers":0})"};
  }

  std::span<const HostSpan> spans_;
  const run::NameTable& names_;
  std::map<std::uint64_t, Meaning> meanings_;
  std::vector<PhaseSpan> found_, backward_, marks_, open_;
  std::vector<run::PhaseEvent>* events_ = nullptr;
  std::uint16_t lane_ = 0;
  bool loads_itself_ = false;
};

}  // namespace

void add_step_phases(std::span<const HostSpan> spans, const run::NameTable& names,
                     run::ProcessTrack& track) {
  StepPhases(spans, names).add_to(track);
}

}  // namespace flatout::trace
