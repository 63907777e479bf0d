#include "apply/search/searcher.h"

#include <algorithm>
#include <map>
#include <utility>

#include "apply/search/asha.h"

namespace flatout::apply {
namespace {

using base::ErrorCode;
using base::Result;

AshaOptions asha_options(const SearchSpace& space) {
  return {.rungs = static_cast<int>(space.steps.size()),
          .reduction = space.reduction,
          .points = space.trials,
          .maximise = space.objective.maximise};
}

double seconds_of(base::DurationNs ns) { return static_cast<double>(ns) / 1e9; }

class Searcher {
 public:
  Searcher(SearchRunner& runner, const SearchSpace& space, const base::Clock& clock,
           SearchListener& listener)
      : runner_(runner),
        space_(space),
        clock_(clock),
        listener_(listener),
        points_(space),
        asha_(asha_options(space)),
        started_ns_(clock.monotonic()) {}

  Result<run::SearchReport> run();

 private:
  std::int64_t steps(int rung) const { return space_.steps[static_cast<std::size_t>(rung)]; }
  run::SearchPointReport& report_of(int point) {
    return out_.points[static_cast<std::size_t>(point)];
  }
  base::DurationNs promised_ns(std::int64_t steps) const;
  bool time_for(const AshaJob& job) const;
  Result<MeasuredTrial> one(const SearchPoint& point, std::int64_t steps, const std::string& name);
  Result<void> measure_baseline();
  Result<void> fill_slots();
  Result<void> take_one();
  Result<void> confirm();
  bool compare_runs(run::SearchFinal& final, const std::vector<TrialResult>& as_is,
                    const std::vector<TrialResult>& best) const;

  SearchRunner& runner_;
  const SearchSpace& space_;
  const base::Clock& clock_;
  SearchListener& listener_;
  PointSequence points_;
  Asha asha_;
  const base::TimeNs started_ns_;
  const SearchPoint as_it_is_;
  base::DurationNs baseline_ns_ = 0;
  int tickets_ = 0;
  std::map<int, AshaJob> running_;          // by ticket
  std::map<int, const SearchPoint> drawn_;  // by point; nodes stay where they are
  bool stopped_ = false;                    // no time for anything new
  run::SearchReport out_;
};

// Start-up counts as if it grew with the steps, too: on the safe side.
base::DurationNs Searcher::promised_ns(std::int64_t steps) const {
  return static_cast<base::DurationNs>(static_cast<double>(baseline_ns_) *
                                       static_cast<double>(steps) /
                                       static_cast<double>(space_.steps.front()));
}

// Beside it, the runs that confirm the best must fit.
bool Searcher::time_for(const AshaJob& job) const {
  if (!space_.budget_ns) return true;
  const base::DurationNs left = *space_.budget_ns - (clock_.monotonic() - started_ns_);
  constexpr base::DurationNs kRuns = 1 + (2 * kConfirmRuns);
  return kRuns * promised_ns(steps(job.rung)) <= left;
}

// A trial while nothing else runs.
Result<MeasuredTrial> Searcher::one(const SearchPoint& point, std::int64_t steps,
                                    const std::string& name) {
  SearchTrial trial{.ticket = ++tickets_, .point = &point, .steps = steps, .name = name};
  trial.final = baseline_ns_ != 0;
  trial.timeout_ns = baseline_ns_ == 0 ? kFirstSearchTimeoutNs
                                       : std::max(kLeastSearchTimeoutNs,
                                                  kSearchTimeoutFactor * promised_ns(steps));
  if (auto started = runner_.start(trial); !started) return std::unexpected(started.error());
  auto ended = runner_.wait();
  if (!ended) return std::unexpected(ended.error());
  return std::move(ended->measured);
}

run::SearchResult result_of(const MeasuredTrial& measured, const run::SearchObjective& objective,
                            int rung, std::int64_t steps) {
  run::SearchResult out{.rung = rung, .steps = steps, .value = {}, .failure = {}, .run = {}};
  out.run = measured.trial.run;
  out.seconds = seconds_of(measured.trial.wall_ns);
  const auto value = objective_of(measured, objective);
  if (value) {
    out.value = *value;
  } else {
    out.failure = value.error().message;
  }
  return out;
}

Result<void> Searcher::measure_baseline() {
  const auto measured = one(as_it_is_, steps(0), "as it is");
  if (!measured) return std::unexpected(measured.error());
  if (runner_.interrupted()) {
    return base::fail(ErrorCode::kUnavailable,
                      "interrupted before the program as it is was measured: nothing is known yet");
  }
  out_.id = measured->trial.run;
  out_.baseline = result_of(*measured, space_.objective, 0, steps(0));
  if (!out_.baseline.value) {
    return base::fail(ErrorCode::kUnavailable,
                      "the program itself cannot be measured: " + out_.baseline.failure +
                          "; see flatout report " + out_.id);
  }
  baseline_ns_ = std::max<base::DurationNs>(measured->trial.wall_ns, 1);
  listener_.baseline(out_);
  return {};
}

Result<void> Searcher::fill_slots() {
  while (!stopped_ && std::cmp_less(running_.size(), runner_.slots())) {
    if (runner_.interrupted()) return {};
    const auto job = asha_.next();
    if (!job) return {};
    if (!time_for(*job)) {
      // What is given back here is never asked for again.
      stopped_ = true;
      out_.out_of_time = true;
      return {};
    }
    if (job->rung == 0) {
      auto point = points_.next();
      if (!point) {
        asha_.no_such_point(*job);
        continue;
      }
      out_.points.push_back({.number = job->point + 1, .settings = *point, .results = {}});
      drawn_.emplace(job->point, std::move(*point));
    }
    const run::SearchPointReport& report = report_of(job->point);
    SearchTrial trial{
        .ticket = ++tickets_,
        .point = &drawn_.at(job->point),
        .steps = steps(job->rung),
        .name = "#" + std::to_string(report.number) + " " + run::point_text(report.settings)};
    trial.timeout_ns =
        std::max(kLeastSearchTimeoutNs, kSearchTimeoutFactor * promised_ns(trial.steps));
    listener_.begins(out_, report, job->rung);
    if (auto started = runner_.start(trial); !started) return started;
    running_.emplace(trial.ticket, *job);
  }
  return {};
}

Result<void> Searcher::take_one() {
  const auto ended = runner_.wait();
  if (!ended) return std::unexpected(ended.error());
  const auto found = running_.find(ended->ticket);
  if (found == running_.end()) return {};
  const AshaJob job = found->second;
  running_.erase(found);
  if (runner_.interrupted()) return {};  // it was cut off and says nothing
  run::SearchPointReport& report = report_of(job.point);
  report.results.push_back(result_of(ended->measured, space_.objective, job.rung, steps(job.rung)));
  asha_.ended(job, report.results.back().value);
  listener_.ended(out_, report);
  return {};
}

// True where the best is better for sure.
bool Searcher::compare_runs(run::SearchFinal& final, const std::vector<TrialResult>& as_is,
                            const std::vector<TrialResult>& best) const {
  if (space_.objective.kind == run::SearchObjective::Kind::kSamplesPerSecond) {
    final.speedup = rate_ratio(as_is, best);
    if (!final.speedup) return false;
    return space_.objective.maximise ? final.speedup->lo > 1 : final.speedup->hi < 1;
  }
  final.difference = paired_difference(final.baseline_values, final.values);
  if (!final.difference) return false;
  return space_.objective.maximise ? final.difference->lo > 0 : final.difference->hi < 0;
}

// The best of many is the luckiest, too: its own trials say nothing of it.
Result<void> Searcher::confirm() {
  const run::SearchPointReport* best = best_point(out_);
  if (best == nullptr || runner_.interrupted()) return {};
  run::SearchFinal final;
  final.number = best->number;
  final.steps = last_value(*best)->steps;
  std::vector<TrialResult> as_is;
  std::vector<TrialResult> with_point;
  for (int run = 0; run < 2 * kConfirmRuns && final.failure.empty(); ++run) {
    const bool base = run % 4 == 0 || run % 4 == 3;  // in turns, and each as often first
    listener_.confirming(*best, run + 1, 2 * kConfirmRuns);
    const SearchPoint& point = base ? as_it_is_ : drawn_.at(best->number - 1);
    auto measured =
        one(point, final.steps, base ? "as it is" : "#" + std::to_string(best->number) + " again");
    if (!measured) return std::unexpected(measured.error());
    if (runner_.interrupted()) return {};
    const auto value = objective_of(*measured, space_.objective);
    if (!measured->trial.run.empty()) final.runs.push_back(measured->trial.run);
    if (!value) {
      final.failure = value.error().message;
      break;
    }
    (base ? final.baseline_values : final.values).push_back(*value);
    (base ? as_is : with_point).push_back(std::move(measured->trial));
  }
  final.confirmed = final.failure.empty() && compare_runs(final, as_is, with_point);
  out_.final = std::move(final);
  return {};
}

Result<run::SearchReport> Searcher::run() {
  out_.objective = space_.objective;
  out_.steps = space_.steps;
  out_.reduction = space_.reduction;
  out_.seed = space_.seed;
  out_.slots = runner_.slots();
  if (auto measured = measure_baseline(); !measured) return std::unexpected(measured.error());
  for (;;) {
    if (auto filled = fill_slots(); !filled) return std::unexpected(filled.error());
    if (running_.empty()) break;
    if (auto taken = take_one(); !taken) return std::unexpected(taken.error());
  }
  if (auto confirmed = confirm(); !confirmed) return std::unexpected(confirmed.error());
  out_.interrupted = runner_.interrupted();
  out_.seconds = seconds_of(clock_.monotonic() - started_ns_);
  return std::move(out_);
}

}  // namespace

Result<run::SearchReport> search(SearchRunner& runner, const SearchSpace& space,
                                 const base::Clock& clock, SearchListener& listener) {
  return Searcher(runner, space, clock, listener).run();
}

}  // namespace flatout::apply
