#include "analyse/account.h"

#include <algorithm>
#include <map>

namespace flatout::analyse {
namespace {

using run::Phase;

double seconds(std::int64_t ns) { return static_cast<double>(ns) / 1e9; }

// Walks over the evaluations in order of time.
class Inside {
 public:
  explicit Inside(std::span<const Interval> intervals) : intervals_(intervals) {}
  bool operator()(std::int64_t t_ns) {
    while (!intervals_.empty() && intervals_.front().end_ns <= t_ns) {
      intervals_ = intervals_.subspan(1);
    }
    return !intervals_.empty() && intervals_.front().begin_ns <= t_ns &&
           intervals_.front().kind == IntervalKind::kEval;
  }

 private:
  std::span<const Interval> intervals_;
};

std::optional<double> forwards_with_gradients(const StepCut& cut, const run::LaneEvents& events) {
  Inside inside(cut.intervals);
  int depth = 0;
  int all = 0;
  int with = 0;
  for (const run::PhaseEvent& event : events) {
    if (event.phase != Phase::kForward) continue;
    if (!event.begin) {
      depth = std::max(0, depth - 1);
      continue;
    }
    if (depth++ > 0 || !inside(event.t_ns)) continue;
    ++all;
    with += (event.flags & run::kGradEnabled) != 0 ? 1 : 0;
  }
  if (all == 0) return std::nullopt;
  return static_cast<double>(with) / all;
}

run::LoaderFact most_drawn(const std::map<std::uint32_t, int>& draws, const run::Observed& said) {
  std::map<std::uint32_t, int> of_loader;
  for (const run::IteratorFact& fact : said.iterators) {
    const auto found = draws.find(fact.iterator);
    if (found != draws.end()) of_loader[fact.loader] += found->second;
  }
  const auto most =
      std::ranges::max_element(of_loader, {}, [](const auto& entry) { return entry.second; });
  if (most == of_loader.end()) return {};
  run::LoaderFact latest;
  for (const run::LoaderFact& fact : said.loaders) {
    if (fact.loader == most->first) latest = fact;
  }
  return latest;
}

}  // namespace

run::RunAccount account_of(const StepCut& cut, int warm_up, std::int64_t start_ns,
                           std::int64_t end_ns) {
  run::RunAccount account;
  std::int64_t known = 0;
  for (std::size_t i = 0; i < cut.steps.size(); ++i) {
    const Step& step = cut.steps[i];
    const std::int64_t saving = step.phase_ns(Phase::kCheckpoint);
    double& part = i < static_cast<std::size_t>(warm_up) ? account.warm_up_s : account.steps_s;
    part += seconds(step.own_ns - saving);
    account.checkpoint_s += seconds(saving);
    known += step.own_ns;
  }
  for (const Interval& interval : cut.intervals) {
    const std::int64_t length = interval.end_ns - interval.begin_ns;
    known += length;
    double& part = interval.kind == IntervalKind::kStartup ? account.startup_s
                   : interval.kind == IntervalKind::kEval  ? account.eval_s
                                                           : account.epoch_gap_s;
    part += seconds(length);
  }
  account.total_s = seconds(std::max(known, end_ns - start_ns));
  account.end_s = seconds(std::max<std::int64_t>(0, end_ns - start_ns - known));
  return account;
}

Evaluations measure_evaluations(const StepCut& cut, const run::LaneEvents& events,
                                const run::Observed& said) {
  Evaluations found;
  for (const Interval& interval : cut.intervals) {
    if (interval.kind != IntervalKind::kEval) continue;
    ++found.count;
    found.total_ns += interval.end_ns - interval.begin_ns;
  }
  if (found.count == 0) return found;
  Inside inside(cut.intervals);
  std::map<std::uint32_t, int> draws;
  for (const Draw& draw : cut.draws) {
    if (!inside(draw.begin_ns)) continue;
    found.data_wait_ns += draw.end_ns - draw.begin_ns;
    ++draws[draw.iterator];
  }
  found.with_gradients = forwards_with_gradients(cut, events);
  found.loader = most_drawn(draws, said);
  return found;
}

}  // namespace flatout::analyse
