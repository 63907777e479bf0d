#include "analyse/run_steps.h"

#include <algorithm>
#include <utility>

#include "analyse/repeating/ranged_steps.h"
#include "run/lane_events.h"

namespace flatout::analyse {

StepOptions step_options(const run::Timeline& timeline, const run::ProcessTrack& process,
                         Updates updates) {
  StepOptions options;
  options.backward_updates = updates != Updates::kSeen;
  options.start_ns = timeline.info.started_ns;
  for (const run::IteratorFact& fact : process.facts.observed().iterators) {
    if (fact.iterator != 0 && fact.loader != 0) options.loader_of[fact.iterator] = fact.loader;
  }
  for (const run::LoaderFact& fact : process.facts.observed().loaders) {
    if (fact.batch_size) options.batch_size_of[fact.loader] = *fact.batch_size;
  }
  return options;
}

std::vector<TimeWindow> evaluations_of(const StepCut& cut) {
  std::vector<TimeWindow> evaluations;
  for (const Interval& interval : cut.intervals) {
    if (interval.kind != IntervalKind::kEval) continue;
    evaluations.push_back({interval.begin_ns, interval.end_ns});
  }
  return evaluations;
}

int turn_length(const run::ProcessTrack& process, const StepCut& cut) {
  std::size_t workers = 1;
  for (const run::IteratorFact& fact : process.facts.observed().iterators) {
    if (cut.training_iterators.contains(fact.iterator)) {
      workers = std::max(workers, fact.worker_pids.size());
    }
  }
  return static_cast<int>(workers);
}

LoadOf outside_load(const run::Timeline& timeline, WindowOf window_of) {
  if (timeline.info.cpus <= 0) return {};
  return [&timeline, window_of = std::move(window_of)](std::size_t first,
                                                       std::size_t last) -> std::optional<double> {
    const auto cores = others_cores_used(timeline, window_of(first, last));
    if (!cores) return std::nullopt;
    return std::min(1.0, *cores / timeline.info.cpus);
  };
}

WarmUp repeating_warm_up(const run::Timeline& timeline, std::span<const Step> steps) {
  // Who profiles chooses the steps, a few; what the device waited for the first is not known.
  if (!timeline.info.trace_file.empty() && steps.size() < kFewSteps) return {.dropped = 1};
  std::vector<std::int64_t> own_ns;
  for (const Step& step : steps) own_ns.push_back(step.own_ns);
  const auto window = [steps](std::size_t first, std::size_t last) {
    return TimeWindow{steps[first].begin_ns, steps[last - 1].end_ns};
  };
  return find_warm_up(own_ns, 1, outside_load(timeline, window));
}

// What of each step decides which of them are warm-up.
class RunSteps::Survey final : public StepSink {
 public:
  void step(const Step& step) override {
    own_ns.push_back(step.own_ns);
    windows.push_back({step.begin_ns, step.end_ns});
  }
  void correct_samples(std::size_t number, double samples) override {
    corrections.push_back({number, samples});
  }

  std::vector<std::int64_t> own_ns;
  std::vector<TimeWindow> windows;
  std::vector<Correction> corrections;
};

class RunSteps::HandOn final : public StepSink {
 public:
  HandOn(const RunSteps& steps, const Take& take) : steps_(steps), take_(take) {}

  void step(const Step& cut) override {
    const std::size_t number = next_++;
    if (ended_) return;
    Step step = cut;
    if (corrected_ < steps_.corrections_.size() &&
        steps_.corrections_[corrected_].number == number) {
      step.samples = steps_.corrections_[corrected_++].samples;
    }
    ended_ = !take_(step, number < steps_.warm_up_);
  }
  void correct_samples(std::size_t, double) override {}

 private:
  const RunSteps& steps_;
  const Take& take_;
  std::size_t next_ = 0;
  std::size_t corrected_ = 0;
  bool ended_ = false;
};

RunSteps::RunSteps(const run::Timeline& timeline)
    : timeline_(timeline), lane_(find_step_lane(timeline)) {
  if (lane_) survey_marked();
  if (own_steps_ == 0) find_repeating();
}

void RunSteps::survey_marked() {
  const run::ProcessTrack& process = timeline_.processes.at(lane_->pid);
  options_ = step_options(timeline_, process, lane_->updates);
  Survey survey;
  const run::LaneEvents events(process, lane_->lane);
  overview_ = survey_steps(events, options_);
  const StepCut cut = cut_steps(events, options_, overview_, survey);
  corrections_ = std::move(survey.corrections);
  evaluations_ = evaluations_of(cut);
  own_steps_ = survey.own_ns.size();
  if (own_steps_ == 0) return;
  const auto window = [&survey](std::size_t first, std::size_t last) {
    return TimeWindow{survey.windows[first].begin_ns, survey.windows[last - 1].end_ns};
  };
  warm_up_ = static_cast<std::size_t>(
      find_warm_up(survey.own_ns, turn_length(process, cut), outside_load(timeline_, window))
          .dropped);
}

void RunSteps::find_repeating() {
  std::optional<RepeatingSteps> found = find_unmarked_steps(timeline_);
  if (!found) return;
  repeating_ = std::move(found->steps);
  warm_up_ = static_cast<std::size_t>(repeating_warm_up(timeline_, repeating_).dropped);
}

void RunSteps::each(const Take& take) const {
  for (std::size_t i = 0; i < repeating_.size(); ++i) {
    if (!take(repeating_[i], i < warm_up_)) return;
  }
  if (!lane_ || !repeating_.empty()) return;
  HandOn hand_on(*this, take);
  const run::ProcessTrack& process = timeline_.processes.at(lane_->pid);
  (void)cut_steps(run::LaneEvents(process, lane_->lane), options_, overview_, hand_on);
}

}  // namespace flatout::analyse
