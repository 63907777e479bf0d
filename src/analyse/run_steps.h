// The steps of a run: whose they are, how they are cut, and one after the other for whoever needs
// no more of the analysis than these. Pure.
#pragma once

#include <cstddef>
#include <functional>
#include <optional>
#include <span>
#include <vector>

#include "analyse/contention.h"
#include "analyse/step_lane.h"
#include "analyse/step_survey.h"
#include "analyse/steps.h"
#include "analyse/warmup.h"
#include "run/timeline.h"

namespace flatout::analyse {

// For the lane on which `process` trains.
StepOptions step_options(const run::Timeline& timeline, const run::ProcessTrack& process,
                         Updates updates);

// The times in which it evaluates, in order and disjoint.
std::vector<TimeWindow> evaluations_of(const StepCut& cut);

// Workers of any training iterator: step times come in turns of so many.
int turn_length(const run::ProcessTrack& process, const StepCut& cut);

// From the begin of one step to the end of another one.
using WindowOf = std::function<TimeWindow(std::size_t first, std::size_t last)>;
// Cores that other programs used in that time, over those of the run. Empty where it is not known
// how many the run has.
LoadOf outside_load(const run::Timeline& timeline, WindowOf window_of);

// Of steps that nobody marked.
WarmUp repeating_warm_up(const run::Timeline& timeline, std::span<const Step> steps);

// All steps, as Analysis::cut and Analysis::warm_up have them. In memory is what the warm-up is
// found by, 24 bytes a step; the steps are cut a second time to hand them on. Those that nobody
// marked (repeating/) are held.
class RunSteps {
 public:
  // `timeline` must outlive it.
  explicit RunSteps(const run::Timeline& timeline);
  // In order. False from `take` ends it.
  using Take = std::function<bool(const Step& step, bool warm_up)>;
  void each(const Take& take) const;
  const std::vector<TimeWindow>& evaluations() const { return evaluations_; }

 private:
  void survey_marked();
  void find_repeating();

  struct Correction {
    std::size_t number = 0;
    double samples = 0;
  };
  class Survey;
  class HandOn;

  const run::Timeline& timeline_;
  std::optional<StepLane> lane_;
  StepOptions options_;
  StepOverview overview_;
  std::vector<Correction> corrections_;  // by number, each once
  std::vector<TimeWindow> evaluations_;
  std::size_t own_steps_ = 0;
  std::vector<Step> repeating_;
  std::size_t warm_up_ = 0;
};

}  // namespace flatout::analyse
