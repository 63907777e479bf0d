// The trials of a tune by setting: what they measured, and how two settings
// compare. One thread.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "apply/start_up_cost.h"
#include "apply/statistics/comparison.h"
#include "apply/trial.h"
#include "run/plan.h"

namespace flatout::apply {

using Stack = std::vector<run::KnobSetting>;

// `stack` with `setting` at its end, or in the place of another value of the same knob.
Stack with(Stack stack, const run::KnobSetting& setting);
Stack without(Stack stack, const std::string& knob);
// It can be set in a program that runs.
bool can_be_switched(const run::KnobSetting& setting);
Stack switched_of(const Stack& stack);

class Arms {
 public:
  // Keeps what the trial measured. False, with the reason, where it measured nothing.
  bool add(const Stack& stack, const TrialResult& trial, std::string& reason);

  void forget(const Stack& stack);

  // The noise of trials that were made before these, of any setting; they outlive this.
  void learn_from(const Arms& earlier) { earlier_ = &earlier; }

  // Compares the `last` newest trials of each; the noise is learnt from all other settings. What
  // others took of the machine meanwhile only makes the interval wider: see arms.cc.
  std::optional<Estimate> compare(const Stack& present, const Stack& candidate,
                                  std::size_t last) const;

  std::size_t count(const Stack& stack) const;
  // During each of its trials, so far as it can be seen.
  bool quiet(const Stack& stack) const;
  std::optional<double> samples_per_s(const Stack& stack) const;  // geometric mean over its trials
  std::optional<double> spread(const Stack& stack) const;         // see statistics/noise.h
  // 95 % interval of samples_per_s from the spread between its trials; needs two.
  std::optional<std::pair<double, double>> interval(const Stack& stack) const;
  // Over its trials: see start_up_cost.h. Absent without one.
  std::optional<StartUp> start_up(const Stack& stack) const;
  std::vector<std::string> runs(const Stack& stack) const;
  std::vector<LossEvidence> evidence(const Stack& stack) const;  // of the trials that counted

 private:
  struct Arm {
    std::vector<TrialRate> rates;
    std::vector<OutsideLoad> outside;  // of each rate
    std::vector<std::string> runs;
    std::vector<LossEvidence> evidence;
    std::vector<StartUp> start_ups;
  };
  const Arm* find(const Stack& stack) const;
  const Arms* earlier_ = nullptr;
  std::map<std::string, Arm> arms_;  // by key_of(stack)
};

}  // namespace flatout::apply
