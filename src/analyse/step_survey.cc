#include "analyse/step_survey.h"

#include <utility>

namespace flatout::analyse {
namespace {

constexpr std::uint32_t kNoUpdate = run::kRaised | run::kPaused | run::kCaptured;

}  // namespace

bool is_replay(const run::Edge& end) {
  return end.phase == run::Phase::kReplay && !end.implied && (end.flags & run::kRaised) == 0;
}

bool counts_as_update(const run::Edge& end, bool backward_updates) {
  if (is_replay(end)) return true;
  const run::Phase update = backward_updates ? run::Phase::kBackward : run::Phase::kOptimizer;
  return end.phase == update && !end.implied && (end.flags & kNoUpdate) == 0;
}

void StepSurveyor::add(const run::Edge& edge) {
  votes_.add(edge);
  found_.marked |= edge.phase == run::Phase::kStep;
  found_.forwards_seen |=
      edge.phase == run::Phase::kForward && (edge.flags & run::kGradEnabled) != 0;
  if (edge.phase == run::Phase::kDataWait && edge.begin) ++found_.most_draws;
  const bool ends = edge.phase == run::Phase::kStep ||
                    (!edge.begin && counts_as_update(edge, options_.backward_updates));
  if (ends) ++found_.most_steps;
}

StepOverview StepSurveyor::finish() && {
  found_.iterators = std::move(votes_).classes(options_.loader_of);
  return std::move(found_);
}

}  // namespace flatout::analyse
