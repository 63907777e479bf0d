#include "report/html/several_picture.h"

#include <array>
#include <cmath>
#include <limits>
#include <random>

#include "report/examples.h"
#include "report/html/picture.h"
#include "run/knob_ids.h"

namespace flatout::report {
namespace {

run::ComparedRun compared_run(const std::string& id, const std::string& name,
                              run::Verdict verdict) {
  run::ComparedRun run;
  run.id = id;
  run.name = name;
  run.host = "node1";
  run.state = run::RunState::kFinished;
  run.started_wall_ns = 1'763'690'570'123'000'000;
  run.duration_s = 214;
  run.steps = 312;
  run.steady_steps = 302;
  run.verdict = std::move(verdict);
  return run;
}

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

run::SearchPointReport search_point(int number, const std::string& lr, const std::string& workers,
                                    const std::vector<double>& values) {
  run::SearchPointReport point;
  point.number = number;
  point.settings = {
      {run::SearchSetting::Kind::kArgument, "--lr", lr},
      {run::SearchSetting::Kind::kKnob, run::knob_id::kDataloaderNumWorkers, workers}};
  for (const double value : values) {
    run::SearchResult result;
    result.rung = static_cast<int>(point.results.size());
    result.steps = result.rung == 0 ? 20 : result.rung == 1 ? 60 : 180;
    result.value = value;
    result.run = "r" + std::to_string(number);
    point.results.push_back(result);
  }
  return point;
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

ComparisonPicture compared_runs() {
  const run::Report before = gpu_report();
  const run::Report after = example_reports()[1].report;  // compute_bound
  run::Contrast contrast;
  contrast.run = compared_run("m3qa", "workers8", after.verdict);
  contrast.speedup = run::Speedup{7.2, 6.5, 7.3};
  contrast.shown = true;
  contrast.block_steps = 10;
  contrast.figures = {{"steps.median_ms", "ms", 674, 93.1},
                      {"steps.device_busy", "ratio", 0.12, 0.86},
                      {"steps.samples_per_s", "samples/s", 95, 684},
                      {"devices.0.power_w", "W", std::nullopt, 300}};
  contrast.phases = {{"data_wait", 582, 1, 0.86, 0.01},
                     {"forward", 27, 27, 0.04, 0.29},
                     {"backward", 54, 54, 0.08, 0.58},
                     {"other", std::nullopt, 11, std::nullopt, 0.12}};
  contrast.findings = {
      {"input_bound", "single_process_loading", "", run::Presence::kWent, 0.86, std::nullopt},
      {"compute_bound", "", "", run::Presence::kCame, std::nullopt, 0.87}};
  contrast.config = {{"loader.workers", "0", "8"}, {"optimizer.momentum", "", "0.9"}};
  contrast.environment = {{"machine.host", "\"node1\"", "\"node2\""}};
  contrast.cautions = {{"other_machine", "the runs were made on different machines"}};
  ComparisonPicture out;
  out.comparison.baseline = compared_run("k7f2", "before", before.verdict);
  out.comparison.others = {contrast};
  out.charts = {gpu_charts(), charts_for(after)};
  return out;
}

run::TuneReport tuned_program() {
  run::TuneReport out;
  out.id = "k7f2";
  out.steps = 40;
  out.seconds = 360;
  out.baseline.samples_per_s = 412;
  out.baseline.lo = 408;
  out.baseline.hi = 416;
  out.baseline.noise = 0.009;
  out.baseline.runs = {"k7f2", "m3qa"};
  out.trials = {
      tune_trial(run::knob_id::kDataloaderNumWorkers, "0", "6", run::Speedup{2.46, 2.41, 2.5},
                 "kept"),
      tune_trial(run::knob_id::kDataloaderPinMemory, "", "true", run::Speedup{1.01, 0.97, 1.04},
                 "below the noise"),
      tune_trial(run::knob_id::kCompileMode, "\"off\"", "\"default\"", {}, "failed: exit status 1"),
      tune_trial(run::knob_id::kPrecisionBf16, "false", "true", run::Speedup{1.55, 1.5, 1.6},
                 "kept")};
  out.trials[0].predicted = run::Speedup{2.4, 2.2, 2.6};
  out.trials[2].samples_per_s.reset();
  out.trials[3].loss_gate = run::LossGate::kPassed;
  out.skipped = {tune_trial(run::knob_id::kPrecisionTf32, "", "", {}, "no GPU"),
                 tune_trial(run::knob_id::kCudaCudnnBenchmark, "", "", {}, "no GPU")};
  out.final.emplace();
  out.final->samples_per_s = 1577;
  out.final->speedup = run::Speedup{3.83, 3.78, 3.88};
  out.final->confirmed = true;
  out.final->loss_gate = run::LossGate::kPassed;
  out.plan.entries.push_back({.setting = {run::knob_id::kDataloaderNumWorkers, "6"},
                              .from = "0",
                              .predicted = {},
                              .measured = {},
                              .runs = {}});
  out.prediction_error_median = 0.024;
  return out;
}

run::SearchReport searched_space() {
  run::SearchReport out;
  out.id = "k7f2";
  out.steps = {20, 60, 180};
  out.launcher = "local";
  out.baseline.steps = 20;
  out.baseline.value = 100;
  out.points = {search_point(1, "0.1", "4", {300}), search_point(2, "0.2", "0", {150, 160}),
                search_point(3, "0.3", "2", {200, 210, 215}), search_point(4, "0.05", "1", {})};
  run::SearchResult failed;
  failed.steps = 20;
  failed.failure = "exit status 1 (no data)";
  out.points[3].results.push_back(failed);
  out.final.emplace();
  out.final->number = 3;
  out.final->steps = 180;
  out.final->values = {200, 210, 220};
  out.final->baseline_values = {100, 105, 110};
  out.final->speedup = run::Speedup{2, 1.9, 2.1};
  out.final->confirmed = true;
  out.seconds = 250;
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
  out.comparison.baseline = compared_run(dice.words(), dice.words(), {});
  out.comparison.baseline.host = dice.words();
  for (std::uint64_t i = 0; i < 1 + dice.below(3); ++i) {
    run::Contrast contrast;
    contrast.run = compared_run("id" + std::to_string(i), dice.words(), {});
    contrast.run.verdict.finding = dice.words();
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
    run::SearchPointReport point = search_point(static_cast<int>(i + 1), dice.words(), "3", {});
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
