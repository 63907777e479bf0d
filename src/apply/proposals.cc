#include "apply/proposals.h"

#include <algorithm>
#include <charconv>
#include <cmath>

#include "apply/statistics/blocks.h"

namespace flatout::apply {
namespace {

bool named(const Knob& knob, const std::vector<std::string>& names) {
  return std::ranges::any_of(
      names, [&](const std::string& name) { return name == knob.id || name == knob.short_name; });
}

constexpr double kLast = -2;  // below all that is doubtful

bool next_to_nothing(const Candidate& candidate) {
  return candidate.predicted && candidate.predicted->ratio < kDoubtfulGain;
}

bool doubtful(const Candidate& candidate) {
  return next_to_nothing(candidate) && !candidate.spared;
}

// Below 0: what comes last, and of it the spared, as they are listed.
double worth(const Knob& knob, const Candidate& candidate, std::uint64_t steps) {
  if (next_to_nothing(candidate)) {
    return candidate.spared ? kLast : candidate.predicted->ratio - kDoubtfulGain;
  }
  const double gain = candidate.predicted ? candidate.predicted->ratio
                                          : std::max(candidate.supposed_gain, kUnknownGain);
  return std::log(gain) * candidate.confidence / trial_cost(knob, candidate, steps);
}

// Leaves out what cannot gain enough, and says so where nothing else is left.
void leave_out_the_small(Proposal& proposal) {
  const auto left_out = std::erase_if(proposal.candidates, [](const Candidate& candidate) {
    return !candidate.spared && candidate.predicted && candidate.predicted->hi < kLeastBestGain;
  });
  if (left_out > 0 && proposal.candidates.empty()) {
    proposal.why_not = "its best case is under 1 %";
  }
}

bool was_tried(const Knob& knob, const Tried& tried) {
  return std::ranges::any_of(tried, [&](const auto& done) { return done.first == knob.id; });
}

// Why the knob may not be used at all; "" where it may.
std::string forbidden(const Knob& knob, const ProposalLimits& limits) {
  if (!limits.knobs.empty() && !named(knob, limits.knobs)) return "not among --knobs";
  if (knob.risk > limits.most_risk) return "its risk is above --risk";
  return "";
}

// Whom the user names is tried once, though nothing asks for it: no finding knows
// everything.
std::vector<Candidate> asked_for(const Knob& knob, const run::Report& report) {
  const std::string present = knob.present != nullptr ? knob.present(report) : "false";
  for (const std::string_view value : knob.grid) {
    if (value == present) continue;
    return {
        {.value = std::string(value), .from = present, .predicted = std::nullopt, .confidence = 1}};
  }
  return {};
}

}  // namespace

bool may_use(const Knob& knob, const ProposalLimits& limits) {
  return forbidden(knob, limits).empty();
}

double trial_cost(const Knob& knob, const Candidate& candidate, std::uint64_t steps) {
  if (knob.counts != run::KnobCounts::kWorkers || steps == 0) return knob.cost;
  int workers = 0;
  const std::string& value = candidate.value;
  (void)std::from_chars(value.data(), value.data() + value.size(), workers);
  const auto needed = static_cast<double>(always_enough_steps(workers));
  // More workers also make the steps shorter, by what is predicted.
  const double gain = candidate.predicted ? std::max(candidate.predicted->ratio, 1.0) : 1;
  return std::max(knob.cost, needed / static_cast<double>(steps) / gain);
}

std::optional<Proposed> next_proposal(const Situation& now, const ProposalLimits& limits,
                                      const Tried& tried, std::vector<run::TuneTrial>& skipped) {
  std::optional<Proposed> best;
  double most = 0;
  skipped.clear();
  std::vector<const Knob*> knobs = all_knobs();
  knobs.insert(knobs.end(), limits.own.begin(), limits.own.end());
  for (const Knob* knob : knobs) {
    Proposal proposal;
    proposal.why_not = forbidden(*knob, limits);
    if (proposal.why_not.empty()) {
      const bool asked = !limits.knobs.empty();  // else it were forbidden
      proposal = knob->propose({.report = now.report,
                                .predictor = now.predictor,
                                .asked = asked,
                                .too_much = limits.too_much.of(knob->id)});
      if (asked && proposal.candidates.empty() && !proposal.impossible &&
          !was_tried(*knob, tried)) {
        proposal.candidates = asked_for(*knob, now.report);
      }
    }
    leave_out_the_small(proposal);
    std::erase_if(proposal.candidates, [&](const Candidate& candidate) {
      return tried.contains({std::string(knob->id), candidate.value}) ||
             limits.too_much.holds(knob->id, candidate.value);
    });
    for (const Candidate& candidate : proposal.candidates) {
      const double value = worth(*knob, candidate, limits.steps);
      if (best && value <= most) continue;
      most = value;
      best = Proposed{.knob = knob, .candidate = candidate, .doubtful = doubtful(candidate)};
    }
    if (!proposal.candidates.empty() || was_tried(*knob, tried)) continue;
    run::TuneTrial row;
    row.knob = std::string(knob->id);
    row.reason = proposal.why_not;
    skipped.push_back(std::move(row));
  }
  return best;
}

std::vector<std::string> unknown_knobs(const std::vector<std::string>& knobs) {
  std::vector<std::string> out;
  for (const std::string& name : knobs) {
    const bool known =
        std::ranges::any_of(all_knobs(), [&](const Knob* knob) { return named(*knob, {name}); });
    if (!known) out.push_back(name);
  }
  return out;
}

}  // namespace flatout::apply
