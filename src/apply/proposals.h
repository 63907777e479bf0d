// Which change to try next. Pure.
#pragma once

#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "apply/knobs/knob.h"
#include "run/tune.h"

namespace flatout::apply {

// One value of one knob, worth a trial.
struct Proposed {
  const Knob* knob = nullptr;
  Candidate candidate;
};

struct ProposalLimits {
  std::vector<std::string> knobs;  // ids or short names that may be used; empty = all
  run::Risk most_risk = run::Risk::kRounding;
};

// What was tried already: (knob, value).
using Tried = std::set<std::pair<std::string, std::string>>;

// A knob that `limits.knobs` names, and that can be applied, is tried with the first other
// value of its grid where nothing asks for it.
//
// The change with the largest predicted gain x confidence; all trials cost about
// the same. A change without a prediction counts as kUnknownGain. Nothing
// where no knob proposes what was not tried; `skipped` then holds each knob that was
// never tried, with its reason.
std::optional<Proposed> next_proposal(const Situation& now, const ProposalLimits& limits,
                                      const Tried& tried, std::vector<run::TuneTrial>& skipped);

// Of a change that nobody can predict: enough for a trial after all that is promised more.
constexpr double kUnknownGain = 1.02;

// Names in `knobs` that no knob has; empty = all are known.
std::vector<std::string> unknown_knobs(const std::vector<std::string>& knobs);

}  // namespace flatout::apply
