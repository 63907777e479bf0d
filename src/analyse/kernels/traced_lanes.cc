#include "analyse/kernels/traced_lanes.h"

#include "analyse/run_steps.h"
#include "analyse/step_lane.h"
#include "run/lane_events.h"

namespace flatout::analyse {
namespace {

class FirstOfSteps final : public StepSink {
 public:
  void step(const Step& step) override {
    if (!begin_ns) begin_ns = step.begin_ns;
  }
  void correct_samples(std::size_t, double) override {}

  std::optional<std::int64_t> begin_ns;
};

}  // namespace

std::vector<TracedLane> other_traced_lanes(const run::Timeline& timeline, pid_t main) {
  std::vector<TracedLane> lanes;
  if (!timeline.info.trace_file.empty()) return lanes;
  for (const TrainingLane& trains : training_lanes(timeline)) {
    const run::ProcessTrack& process = timeline.processes.at(trains.pid);
    if (trains.pid == main || process.activities.empty()) continue;
    FirstOfSteps first;
    const StepCut cut = cut_steps(run::LaneEvents(process, trains.lane),
                                  step_options(timeline, process, trains.updates), first);
    lanes.push_back({.pid = trains.pid,
                     .lane = trains.lane,
                     .first_step_ns = first.begin_ns,
                     .evaluations = evaluations_of(cut)});
  }
  return lanes;
}

}  // namespace flatout::analyse
