#include "report/html/several_picture.h"

#include <array>
#include <cmath>
#include <limits>
#include <random>

#include "report/examples.h"
#include "report/html/picture.h"
#include "report/several_examples.h"
#include "run/knob_ids.h"

namespace flatout::report {
namespace {

run::TuneTrial tune_trial(const std::string& knob, const std::string& from, const std::string& to,
                          std::optional<run::Speedup> speedup, const std::string& reason) {
  run::TuneTrial trial;
  trial.knob = knob;
  trial.from = from;
  trial.to = to;
  trial.speedup = speedup;
  if (speedup) trial.samples_per_s = 412 * speedup->ratio;
  trial.kept = reason == "kept";
  trial.reason = reason;
  return trial;
}

class Dice {
 public:
  explicit Dice(std::uint64_t seed) : engine_(seed) {}
  double number() {
    switch (engine_() % 7) {
      case 0:
        return std::numeric_limits<double>::quiet_NaN();
      case 1:
        return -std::numeric_limits<double>::infinity();
      case 2:
        return 1e300;
      case 3:
        return 0;
      default:
        return std::exp(std::normal_distribution<double>(0, 4)(engine_));
    }
  }
  std::optional<double> maybe() {
    if (engine_() % 3 == 0) return std::nullopt;
    return number();
  }
  std::optional<run::Speedup> gain() {
    if (engine_() % 4 == 0) return std::nullopt;
    return run::Speedup{number(), number(), number()};
  }
  std::string words() {
    static const std::array<std::string, 10> kWords = {"<script>alert(1)</script>",
                                                       "</script><script>alert(1)//",
                                                       "\"><img src=x onerror=alert(1)>",
                                                       "]]><svg/onload=x>",
                                                       "\xe2\x80\xaetxt.exe",
                                                       std::string("nul\0byte", 8),
                                                       "\xff\xfe",
                                                       "' onload='x",
                                                       "a b\nc\td \"quoted\" 'single'",
                                                       std::string(4000, 'w')};
    return kWords[engine_() % kWords.size()];
  }
  std::uint64_t below(std::uint64_t most) { return engine_() % most; }

 private:
  std::mt19937_64 engine_;
};

}  // namespace

// The example, with what a page has room for.
ComparisonPicture compared_runs() {
  const run::Report before = gpu_report();
  const run::Report after = example_reports()[1].report;  // compute_bound
  ComparisonPicture out;
  out.comparison = compared_example();
  out.comparison.baseline.name = "before";
  out.comparison.baseline.host = "node1";
  out.comparison.baseline.verdict = before.verdict;
  run::Contrast& contrast = out.comparison.others[0];
  contrast.run.verdict = after.verdict;
  contrast.phases = {contrast.phases[0],
                     {"forward", 27, 27, 0.04, 0.29},
                     {"backward", 54, 54, 0.08, 0.58},
                     {"other", std::nullopt, 11, std::nullopt, 0.12}};
  contrast.findings.push_back({"compute_bound", "", "", run::Presence::kCame, std::nullopt, 0.87});
  out.charts = {gpu_charts(), charts_for(after)};
  return out;
}

run::TuneReport tuned_program() {
  run::TuneReport out = tuned_example();
  out.trials.push_back(tune_trial(run::knob_id::kCompileMode, "\"off\"", "\"default\"", {},
                                  "failed: exit status 1"));
  out.trials.push_back(tune_trial(run::knob_id::kPrecisionBf16, "false", "true",
                                  run::Speedup{1.55, 1.5, 1.6}, "kept"));
  out.trials.back().loss_gate = run::LossGate::kPassed;
  out.skipped.push_back(tune_trial(run::knob_id::kCudaCudnnBenchmark, "", "", {}, "no GPU"));
  out.final->loss_gate = run::LossGate::kPassed;
  return out;
}

// The example with a third rung, and with workers that differ.
run::SearchReport searched_space() {
  run::SearchReport out = searched_example();
  out.steps.push_back(180);
  constexpr std::array kWorkers = {"4", "0", "2", "1"};
  for (std::size_t i = 0; i < out.points.size(); ++i) {
    out.points[i].settings.back().value = kWorkers[i];
  }
  run::SearchResult last = out.points[2].results.back();
  last.rung = 2;
  last.steps = out.final->steps = 180;
  last.value = 215;
  out.points[2].results.push_back(last);
  return out;
}

PageContext page_context() {
  return {.version = "0.1.0",
          .command = {"python", "train.py", "--epochs", "3"},
          .best = "python train.py --epochs 3 --lr=0.3",
          .plan_file = "flatout.toml",
          .before = gpu_charts().step_lengths,
          .after = charts_for(example_reports()[1].report).step_lengths};
}

ComparisonPicture hostile_comparison(std::uint64_t seed) {
  Dice dice(seed);
  ComparisonPicture out;
  out.comparison.baseline = compared_run(dice.words(), dice.words());
  out.comparison.baseline.name = dice.words();
  out.comparison.baseline.host = dice.words();
  for (std::uint64_t i = 0; i < 1 + dice.below(3); ++i) {
    run::Contrast contrast;
    contrast.run = compared_run("id" + std::to_string(i), dice.words());
    contrast.run.name = dice.words();
    contrast.speedup = dice.gain();
    contrast.no_speedup = dice.words();
    contrast.figures = {{dice.words(), dice.words(), dice.maybe(), dice.maybe()},
                        {"steps.median_ms", "ms", dice.maybe(), dice.maybe()}};
    contrast.phases = {{dice.words(), dice.maybe(), dice.maybe(), dice.maybe(), dice.maybe()}};
    contrast.findings = {{dice.words(), dice.words(), dice.words(), run::Presence::kStayed,
                          dice.maybe(), dice.maybe()}};
    contrast.config = {{dice.words(), dice.words(), ""}};
    contrast.environment = {{dice.words(), "", dice.words()}};
    contrast.cautions = {{dice.words(), dice.words()}};
    out.comparison.others.push_back(contrast);
  }
  for (std::size_t i = 0; i < dice.below(5); ++i) {
    out.charts.push_back(random_charts(seed + i, seed % 4 == 0));
  }
  return out;
}

run::TuneReport hostile_tune(std::uint64_t seed) {
  Dice dice(seed);
  run::TuneReport out;
  out.id = dice.words();
  out.seconds = dice.number();
  out.baseline = {.samples_per_s = dice.maybe(),
                  .lo = dice.maybe(),
                  .hi = dice.maybe(),
                  .device_busy = dice.maybe(),
                  .runs = {dice.words()},
                  .noise = dice.maybe()};
  for (std::uint64_t i = 0; i < dice.below(40); ++i) {
    run::TuneTrial trial =
        tune_trial(dice.words(), dice.words(), dice.words(), dice.gain(), dice.words());
    trial.kept = dice.below(2) == 0;
    trial.samples_per_s = dice.maybe();
    trial.predicted = dice.gain();
    (dice.below(3) == 0 ? out.skipped : out.trials).push_back(trial);
  }
  if (dice.below(2) == 0) {
    out.final.emplace();
    out.final->samples_per_s = dice.maybe();
    out.final->speedup = dice.gain();
    out.final->loss_gate = run::LossGate::kFailed;
    out.final->loss_reason = dice.words();
    out.plan.entries.push_back({.setting = {dice.words(), dice.words()},
                                .from = "",
                                .predicted = {},
                                .measured = {},
                                .runs = {}});
  }
  out.notes = {dice.words()};
  return out;
}

run::SearchReport hostile_search(std::uint64_t seed) {
  Dice dice(seed);
  run::SearchReport out;
  out.id = dice.words();
  out.objective.kind = static_cast<run::SearchObjective::Kind>(dice.below(3));
  out.objective.logged = dice.words();
  out.steps = {20, 60};
  out.baseline.value = dice.maybe();
  for (std::uint64_t i = 0; i < dice.below(60); ++i) {
    run::SearchPointReport point = searched_point(static_cast<int>(i + 1), dice.words(), {});
    point.settings.push_back({run::SearchSetting::Kind::kArgument, dice.words(),
                              std::to_string(dice.below(9)) + (seed % 2 == 0 ? "e300" : "")});
    run::SearchResult result;
    result.value = dice.maybe();
    result.failure = dice.words();
    point.results = {result};
    out.points.push_back(point);
  }
  if (dice.below(2) == 0) {
    out.final.emplace();
    out.final->number = 1;
    out.final->steps = 60;
    out.final->values = {dice.number(), dice.number()};
    out.final->baseline_values = {dice.number()};
    out.final->speedup = dice.gain();
    out.final->failure = dice.words();
  }
  out.notes = {dice.words()};
  return out;
}

PageContext hostile_context(std::uint64_t seed) {
  Dice dice(seed);
  return {.version = dice.words(),
          .command = {"python", dice.words(), dice.words()},
          .best = dice.words(),
          .plan_file = dice.words(),
          .before = random_charts(seed, false).step_lengths,
          .after = random_charts(seed + 1, false).step_lengths};
}

}  // namespace flatout::report
