#include "analyse/ranks.h"

#include <algorithm>

#include "analyse/run_steps.h"
#include "analyse/step_lane.h"

namespace flatout::analyse {
namespace {

// Those of a window, added up as they are cut.
class SumOfSteps final : public StepSink {
 public:
  SumOfSteps(TimeWindow window, RankSteps& sum) : window_(window), sum_(sum) {}

  void step(const Step& step) override {
    // Ranks cut a step at slightly different times: its middle decides.
    const std::int64_t middle = step.begin_ns + (step.end_ns - step.begin_ns) / 2;
    if (middle < window_.begin_ns || middle > window_.end_ns) return;
    ++sum_.steps;
    sum_.own_ns += static_cast<double>(step.own_ns);
    for (std::size_t i = 0; i < step.phases.size(); ++i) {
      sum_.phases_ns[i] += static_cast<double>(step.phases[i]);
    }
  }
  void correct_samples(std::size_t, double) override {}

 private:
  TimeWindow window_;
  RankSteps& sum_;
};

RankSteps steps_of(const run::Timeline& timeline, const TrainingLane& lane, TimeWindow window) {
  const run::ProcessTrack& process = timeline.processes.at(lane.pid);
  RankSteps result;
  result.pid = lane.pid;
  result.rank = lane.rank;
  const StepOptions options = step_options(timeline, process, lane.updates);
  SumOfSteps steps(window, result);
  (void)cut_steps(run::LaneEvents(process, lane.lane), options, steps);
  if (result.steps == 0) return result;
  result.own_ns /= result.steps;
  for (double& sum : result.phases_ns) sum /= result.steps;
  return result;
}

}  // namespace

std::vector<RankSteps> measure_ranks(const run::Timeline& timeline, TimeWindow window,
                                     bool distributed) {
  std::vector<TrainingLane> lanes = training_lanes(timeline);
  for (TrainingLane& lane : lanes) {
    const run::ProcessTrack& process = timeline.processes.at(lane.pid);
    const auto* fact = run::latest_of(process.facts.observed().ranks);
    if (fact == nullptr) continue;
    lane.rank = fact->rank;
    distributed = distributed || fact->world_size > 1;
  }
  std::erase_if(lanes, [](const TrainingLane& lane) { return lane.rank < 0; });
  if (!distributed || lanes.size() < 2) return {};  // before anything is cut
  std::vector<RankSteps> ranks;
  for (const TrainingLane& lane : lanes) {
    const RankSteps steps = steps_of(timeline, lane, window);
    if (steps.steps > 0) ranks.push_back(steps);
  }
  if (ranks.size() < 2) return {};
  std::ranges::sort(ranks, {}, &RankSteps::rank);
  return ranks;
}

}  // namespace flatout::analyse
