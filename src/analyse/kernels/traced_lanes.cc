#include "analyse/kernels/traced_lanes.h"

#include <utility>

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

std::vector<TracedLane> traced_lanes(const run::Timeline& timeline) {
  const auto main = find_step_lane(timeline);
  if (!main) return {};
  std::vector<TracedLane> lanes = other_traced_lanes(timeline, main->pid);
  TracedLane own{.pid = main->pid, .lane = main->lane, .first_step_ns = {}, .evaluations = {}};
  if (timeline.info.trace_file.empty()) {
    const RunSteps steps(timeline);
    steps.each([&](const Step& step, bool) {
      own.first_step_ns = step.begin_ns;
      return false;
    });
    own.evaluations = steps.evaluations();
  }
  lanes.insert(lanes.begin(), std::move(own));
  return lanes;
}

}  // namespace flatout::analyse
