#include "serve/steps/step_table.h"

#include <algorithm>
#include <utility>

#include "analyse/device/device_stats.h"
#include "analyse/run_steps.h"
#include "analyse/step_lane.h"
#include "analyse/steps.h"
#include "run/fact_list.h"
#include "run/lane_events.h"

namespace flatout::serve {
namespace {

StepRow row_of(const analyse::Step& step) {
  StepRow row{.begin_ns = step.begin_ns,
              .end_ns = step.end_ns,
              .own_ms = static_cast<float>(static_cast<double>(step.own_ns) / 1e6)};
  for (std::size_t i = 0; i < row.phases_ms.size(); ++i) {
    row.phases_ms[i] = static_cast<float>(static_cast<double>(step.phases[i]) / 1e6);
  }
  return row;
}

class Rows final : public analyse::StepSink {
 public:
  explicit Rows(std::vector<StepRow>& to) : to_(to) {}
  void step(const analyse::Step& step) override { to_.push_back(row_of(step)); }
  void correct_samples(std::size_t, double) override {}

 private:
  std::vector<StepRow>& to_;
};

int rank_of(const run::ProcessTrack& process, int known) {
  const auto* fact = run::latest_of(process.facts.observed().ranks);
  return fact != nullptr ? fact->rank : known;
}

// Of the only one that there is nobody need say which.
std::optional<int> device_of(const run::Timeline& timeline, const run::ProcessTrack& process) {
  if (timeline.devices.size() == 1) return timeline.devices.begin()->first;
  const std::optional<int> in_process = analyse::step_device_of(process);
  if (!in_process) return std::nullopt;
  for (const auto& [index, device] : timeline.devices) {
    if (device.visible_index == in_process) return index;
  }
  return std::nullopt;
}

StepsOf cut(const run::Timeline& timeline, const analyse::TrainingLane& lane) {
  const run::ProcessTrack& process = timeline.processes.at(lane.pid);
  StepsOf out{.pid = lane.pid,
              .rank = rank_of(process, lane.rank),
              .device = device_of(timeline, process),
              .label = "",
              .steps = {},
              .intervals = {},
              .lengths = {}};
  out.label =
      out.rank >= 0 ? "rank " + std::to_string(out.rank) : "pid " + std::to_string(lane.pid);
  const auto options = analyse::step_options(timeline, process, lane.updates);
  Rows rows(out.steps);
  out.intervals = analyse::cut_steps(run::LaneEvents(process, lane.lane), options, rows).intervals;
  return out;
}

// Steps that nobody marked, of a kernel trace.
StepsOf repeated(const analyse::RunSteps& steps) {
  StepsOf out{.device = {}, .label = "device", .steps = {}, .intervals = {}, .lengths = {}};
  steps.each([&](const analyse::Step& step, bool) {
    out.steps.push_back(row_of(step));
    return true;
  });
  return out;
}

StepLengths steady_lengths(const StepsOf& of) {
  std::vector<float> lengths;
  lengths.reserve(of.steps.size());
  for (std::size_t i = of.warm_up; i < of.steps.size(); ++i) lengths.push_back(of.steps[i].own_ms);
  return step_lengths(std::move(lengths));
}

}  // namespace

std::vector<StepsOf> step_tables(const run::Timeline& timeline) {
  std::vector<StepsOf> out;
  const analyse::RunSteps first(timeline);
  const auto lane = analyse::find_step_lane(timeline);
  for (const auto& one : analyse::training_lanes(timeline)) out.push_back(cut(timeline, one));
  std::erase_if(out, [](const StepsOf& one) { return one.steps.empty(); });
  if (out.empty()) out.push_back(repeated(first));
  std::ranges::stable_sort(out, {}, [&](const StepsOf& one) {
    return std::pair(!(lane && one.pid == lane->pid), one.rank);
  });
  first.each([&](const analyse::Step&, bool warm_up) {
    out[0].warm_up += warm_up ? 1 : 0;
    return warm_up;
  });
  if (out[0].steps.empty()) out.clear();
  for (StepsOf& one : out) one.lengths = steady_lengths(one);
  return out;
}

std::size_t bytes_of(const std::vector<StepsOf>& tables) {
  std::size_t sum = 0;
  for (const StepsOf& one : tables) sum += one.steps.capacity() * sizeof(StepRow);
  return sum;
}

const StepsOf* steps_of(const std::vector<StepsOf>& tables, pid_t pid) {
  const auto found = std::ranges::find(tables, pid, &StepsOf::pid);
  return found == tables.end() ? nullptr : &*found;
}

}  // namespace flatout::serve
