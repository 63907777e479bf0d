#include "trace/kineto/step_phases.h"

#include <algorithm>
#include <string>
#include <vector>

#include "run/facts.h"

namespace flatout::trace {
namespace {

using run::Phase;

class PhaseWriter {
 public:
  PhaseWriter(std::uint16_t lane, std::vector<run::PhaseEvent>& events)
      : lane_(lane), events_(events) {}

  void open(const PhaseSpan& span) {
    close_until(span.begin_ns);
    const std::int64_t most = open_.empty() ? span.end_ns : open_.back().end_ns;
    put(span.begin_ns, span.phase, true);
    open_.push_back({span.begin_ns, std::min(span.end_ns, most), span.phase});
  }
  // The end of a step.
  void mark(std::int64_t t_ns) {
    close_until(t_ns);
    for (PhaseSpan& span : open_) span.end_ns = t_ns;
    close_until(t_ns);
    put(t_ns, Phase::kStep, false);
  }
  void finish() {
    while (!open_.empty()) close_until(open_.back().end_ns);
  }

 private:
  void close_until(std::int64_t t_ns) {
    while (!open_.empty() && open_.back().end_ns <= t_ns) {
      put(open_.back().end_ns, open_.back().phase, false);
      open_.pop_back();
    }
  }
  void put(std::int64_t t_ns, Phase phase, bool begin) {
    std::uint32_t flags = run::kMarked;
    if (phase == Phase::kForward || phase == Phase::kDataWait) flags |= run::kGradEnabled;
    if (phase == Phase::kForward) flags |= run::kTrainingMode;
    events_.push_back(
        {.t_ns = t_ns, .flags = flags, .lane = lane_, .phase = phase, .begin = begin});
  }

  std::uint16_t lane_;
  std::vector<run::PhaseEvent>& events_;
  std::vector<PhaseSpan> open_;
};

}  // namespace

void add_step_phases(const StepThread& thread, run::ProcessTrack& track) {
  for (run::Lane& lane : track.lanes) lane.is_main = lane.lane == thread.lane;
  PhaseWriter writer(thread.lane, track.phases.own());
  auto mark = thread.marks.begin();
  const auto last = thread.marks.end();
  if (mark != last) writer.mark(mark->begin_ns);  // the first step begins here
  for (const PhaseSpan& span : thread.phases) {
    for (; mark != last && mark->end_ns <= span.begin_ns; ++mark) writer.mark(mark->end_ns);
    const bool outside =
        !thread.marks.empty() && (mark == last || span.begin_ns < thread.marks.front().begin_ns);
    if (!outside) writer.open(span);
  }
  for (; mark != last; ++mark) writer.mark(mark->end_ns);
  writer.finish();
  if (!thread.fetches_itself) return;
  track.facts.push_back(
      {.t_ns = 0, .key = std::string(run::facts::kLoader), .json = R"({"loader":0,"workers":0})"});
}

}  // namespace flatout::trace
