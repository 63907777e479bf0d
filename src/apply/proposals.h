// Which change to try next. Pure.
#pragma once

#include <cstdint>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "apply/knobs/knob.h"
#include "apply/too_much.h"
#include "run/tune.h"

namespace flatout::apply {

// One value of one knob, worth a trial.
struct Proposed {
  const Knob* knob = nullptr;
  Candidate candidate;
  bool doubtful = false;  // next to no gain is predicted: see kDoubtfulGain
};

struct ProposalLimits {
  std::vector<std::string> knobs;  // ids or short names that may be used; empty = all
  run::Risk most_risk = run::Risk::kRounding;
  std::uint64_t steps = 0;            // of a trial, before what more workers ask for; 0 = not known
  std::vector<const Knob*> own = {};  // of the user, after flatout's; they outlive what is proposed
  TooMuch too_much = {};
};

// Neither --knobs nor --risk forbids it.
bool may_use(const Knob& knob, const ProposalLimits& limits);

// What was tried already: (knob, value).
using Tried = std::set<std::pair<std::string, std::string>>;

// A number of `limits.too_much` or above is never proposed.
//
// A knob that `limits.knobs` names, and that can be applied, is tried with the first other
// value of its grid where nothing asks for it.
//
// The change with the largest log(predicted gain) x confidence / cost. A change
// without a prediction counts as kUnknownGain; one whose best case (the upper end of
// its interval) is under kLeastBestGain is left out, unless it is spared; one whose
// prediction is under kDoubtfulGain and only touches that with its interval comes after
// all others, and after those the spared of which so little is predicted.
// Nothing where no knob proposes what was not tried; `skipped` then holds each knob
// that was never tried, with its reason.
std::optional<Proposed> next_proposal(const Situation& now, const ProposalLimits& limits,
                                      const Tried& tried, std::vector<run::TuneTrial>& skipped);

// Of a change that nobody can predict: enough for a trial after all that is promised more.
constexpr double kUnknownGain = 1.02;

constexpr double kLeastBestGain = 1.01;
constexpr double kDoubtfulGain = 1.005;

// What a trial of it takes, in trials of the program as it is: what is declared (torch.compile
// compiles anew in each trial), or more steps where more workers must fill their queues.
double trial_cost(const Knob& knob, const Candidate& candidate, std::uint64_t steps);

// Names in `knobs` that no knob has; empty = all are known.
std::vector<std::string> unknown_knobs(const std::vector<std::string>& knobs);

}  // namespace flatout::apply
