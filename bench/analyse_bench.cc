// What a report costs on an hour of steps: measuring the run, then each rule by its own id. The
// runs are made up: a loop that waits for its loader, and one on a pretended GPU; a rule is asked
// about both, so that one whose subject is missing in one of them has something to judge.
#include <benchmark/benchmark.h>

#include <array>
#include <string>

#include "analyse/analyse.h"
#include "analyse/device/gpu_fixture.h"
#include "analyse/loop_fixture.h"
#include "analyse/rules/rule.h"

namespace {

using namespace flatout;  // NOLINT(google-build-using-namespace): a program of one file

constexpr int kSteps = 36'000;  // of 100 ms

const run::Timeline& waiting_run() {
  static const analyse::TimelineBuilder built = analyse::run_of({.steps = kSteps,
                                                                 .workers = 8,
                                                                 .wait = 60,
                                                                 .compute = 38,
                                                                 .other = 2,
                                                                 .epoch = 3600,
                                                                 .gap = 500,
                                                                 .batch_wall = 700,
                                                                 .batch_cpu = 650,
                                                                 .collate = 20,
                                                                 .hand_over = 1});
  return built.timeline();
}

const run::Timeline& gpu_run() {
  static const analyse::TimelineBuilder built = analyse::gpu_run(
      {.wait = 1, .launch = 15, .optimizer = 4, .sync = 75, .other = 5, .steps = kSteps},
      {.sm = 0.8, .tensor = 0.02, .others = 0.1, .others_processes = 1, .others_memory = 1e9});
  return built.timeline();
}

const std::array<analyse::Analysis, 2>& measured() {
  static const std::array<analyse::Analysis, 2> both = {analyse::measure(waiting_run()),
                                                        analyse::measure(gpu_run())};
  return both;
}

void measure(benchmark::State& state) {
  const run::Timeline& timeline = waiting_run();
  for (auto _ : state) benchmark::DoNotOptimize(analyse::measure(timeline));
  state.SetItemsProcessed(state.iterations() * kSteps);
}
BENCHMARK(measure)->Unit(benchmark::kMillisecond);

void report(benchmark::State& state) {
  const run::Timeline& timeline = waiting_run();
  for (auto _ : state) benchmark::DoNotOptimize(analyse::analyse(timeline, {}));
  state.SetItemsProcessed(state.iterations() * kSteps);
}
BENCHMARK(report)->Unit(benchmark::kMillisecond);

void judge(benchmark::State& state, const analyse::Rule& rule) {
  const auto& both = measured();
  for (auto _ : state) {
    for (const analyse::Analysis& one : both) benchmark::DoNotOptimize(rule.judge(one));
  }
}

}  // namespace

int main(int argc, char** argv) {
  for (const analyse::Rule& rule : analyse::all_rules()) {
    benchmark::RegisterBenchmark(("rule/" + std::string(rule.id)).c_str(), judge, rule)
        ->Unit(benchmark::kMicrosecond);
  }
  benchmark::Initialize(&argc, argv);
  if (benchmark::ReportUnrecognizedArguments(argc, argv)) return 1;
  benchmark::RunSpecifiedBenchmarks();
  benchmark::Shutdown();
  return 0;
}
