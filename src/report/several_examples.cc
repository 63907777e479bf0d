#include "report/several_examples.h"

#include "run/knob_ids.h"

namespace flatout::report {

run::ComparedRun compared_run(const std::string& id, const std::string& finding) {
  run::ComparedRun run;
  run.id = id;
  run.state = run::RunState::kFinished;
  run.started_wall_ns = 1'763'690'570'123'000'000;
  run.steps = 312;
  run.steady_steps = 302;
  run.verdict.finding = finding;
  return run;
}

run::SearchPointReport searched_point(int number, const std::string& lr,
                                      const std::vector<double>& values) {
  run::SearchPointReport out;
  out.number = number;
  out.settings = {{run::SearchSetting::Kind::kArgument, "--lr", lr},
                  {run::SearchSetting::Kind::kEnvironment, "OMP_NUM_THREADS", "2"},
                  {run::SearchSetting::Kind::kKnob, run::knob_id::kDataloaderNumWorkers, "4"}};
  for (const double value : values) {
    run::SearchResult result;
    result.rung = static_cast<int>(out.results.size());
    result.steps = result.rung == 0 ? 20 : result.rung == 1 ? 60 : 180;
    result.value = value;
    result.run = "r" + std::to_string(number);
    result.seconds = 2;
    out.results.push_back(result);
  }
  return out;
}

run::Comparison compared_example() {
  run::Comparison out;
  out.baseline = compared_run("k7f2", "input_bound");
  run::Contrast contrast;
  contrast.run = compared_run("m3qa", "compute_bound");
  contrast.run.name = "workers8";
  contrast.speedup = run::Speedup{7.2, 6.5, 7.3};
  contrast.shown = true;
  contrast.block_steps = 10;
  contrast.figures = {{"steps.median_ms", "ms", 674, 93.1},
                      {"steps.device_busy", "ratio", 0.12, 0.86},
                      {"steps.samples_per_s", "samples/s", 95, 684},
                      {"devices.0.power_w", "W", std::nullopt, 300}};
  contrast.phases = {{"data_wait", 582, 1, 0.86, 0.01}, {"sync", 0, 0, 0, 0}};
  contrast.findings = {
      {"input_bound", "single_process_loading", "", run::Presence::kWent, 0.86, std::nullopt}};
  contrast.config = {{"loader.workers", "0", "8"}, {run::knob_id::kOptimizerFused, "", "true"}};
  contrast.environment = {{"machine.host", "\"node1\"", "\"node2\""}};
  contrast.cautions = {{"other_machine", "the runs were made on different machines"}};
  out.others = {contrast};
  return out;
}

run::TuneReport tuned_example() {
  run::TuneReport out;
  out.id = "k7f2";
  out.steps = 40;
  out.baseline.samples_per_s = 412;
  out.baseline.lo = 408;
  out.baseline.hi = 416;
  out.baseline.device_busy = 0.31;
  out.baseline.noise = 0.009;
  out.baseline.runs = {"k7f2", "m3qa"};
  run::TuneTrial workers;
  workers.knob = run::knob_id::kDataloaderNumWorkers;
  workers.from = "0";
  workers.to = "6";
  workers.predicted = run::Speedup{2.4, 2.2, 2.6};
  workers.speedup = run::Speedup{2.46, 2.41, 2.5};
  workers.samples_per_s = 1012;
  workers.loss_gate = run::LossGate::kPassed;
  workers.kept = true;
  workers.reason = "kept";
  workers.runs = {"aaaa"};
  run::TuneTrial pinned = workers;
  pinned.knob = run::knob_id::kDataloaderPinMemory;
  pinned.from = "";
  pinned.to = "true";
  pinned.predicted.reset();
  pinned.speedup = run::Speedup{1.01, 0.99, 1.02};
  pinned.loss_gate = run::LossGate::kNotNeeded;
  pinned.kept = false;
  pinned.reason = "below the noise";
  out.trials = {workers, pinned};
  run::TuneTrial left;
  left.knob = run::knob_id::kPrecisionTf32;
  left.reason = "no GPU";
  out.skipped = {left};
  out.final.emplace();
  out.final->samples_per_s = 1577;
  out.final->speedup = run::Speedup{3.83, 3.78, 3.88};
  out.final->device_busy = 0.97;
  out.final->confirmed = true;
  out.plan.entries.push_back({.setting = {run::knob_id::kDataloaderNumWorkers, "6"},
                              .from = "0",
                              .predicted = {},
                              .measured = {},
                              .runs = {}});
  out.prediction_error_median = 0.024;
  out.seconds = 360;
  return out;
}

run::SearchReport searched_example() {
  run::SearchReport out;
  out.id = "k7f2";
  out.steps = {20, 60};
  out.launcher = "local";
  out.baseline.steps = 20;
  out.baseline.value = 100;
  out.points = {searched_point(1, "0.1", {300}), searched_point(2, "0.2", {150, 160}),
                searched_point(3, "0.3", {200, 210})};
  run::SearchPointReport failed = searched_point(4, "0.4", {});
  run::SearchResult result;
  result.steps = 20;
  result.failure = "exit status 1 (no data)";
  failed.results.push_back(result);
  out.points.push_back(failed);
  out.final.emplace();
  out.final->number = 3;
  out.final->steps = 60;
  out.final->values = {200, 210, 220};
  out.final->baseline_values = {100, 105, 110};
  out.final->speedup = run::Speedup{2, 1.9, 2.1};
  out.final->confirmed = true;
  out.seconds = 250;
  return out;
}

}  // namespace flatout::report
