// The model's speed of threads that meet at barriers, held to a simulation of a fair scheduler and
// to PyTorch beside burning processes (tests/whatif/measure_teams.py, measured_teams.json).
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdio>
#include <fstream>
#include <map>
#include <nlohmann/json.hpp>
#include <set>
#include <utility>
#include <vector>

#include "analyse/barrier_simulation_fixture.h"
#include "analyse/whatif_model.h"

namespace flatout::analyse {
namespace {

// A step's own work alone over that beside `workers` that burn: after the first batch none ends.
double modelled(double cores, double demand, int workers) {
  std::vector<FetchCost> fetches(1 + static_cast<std::size_t>(workers), {.cpu_ns = 1e12});
  fetches[0] = {};
  const std::vector<StepCost> steps(1, StepCost{.compute_ns = 1e6, .compute_cores = demand});
  const LoopTimes times = simulate({.cores = cores, .loader = {workers, 2}}, fetches, steps, 0);
  return 1e6 / times.busy_ns;
}

// It matters on which core each task starts.
double simulated(testing::TeamBeside what) {
  constexpr std::uint64_t kSeeds = 3;
  double sum = 0;
  for (what.seed = 1; what.seed <= kSeeds; ++what.seed) {
    sum += testing::TeamSimulation(what).speed(0.2);
  }
  return sum / static_cast<double>(kSeeds);
}

// How far the model may be below and above the simulation, by the team's work between two barriers.
// Measured in this test, the largest of all its rows, and rounded up: 2.27 and 5.51, 2.64 and 1.72,
// 2.85 and 1.04. It is not narrower because the model does not know how far a program's barriers
// are apart; the share to the power of d alone, as it was, missed by more than 100 000.
struct Bound {
  double grain_ns, below, above;
};
constexpr Bound kBounds[] = {{2e5, 2.3, 5.6}, {1e6, 2.7, 1.8}, {5e6, 2.9, 1.1}};

void expect_within_bounds(int cores, int threads, int workers) {
  const double ours = modelled(cores, threads, workers);
  for (const Bound& bound : kBounds) {
    const double truth = simulated(
        {.threads = threads, .cores = cores, .workers = workers, .grain_ns = bound.grain_ns});
    const auto row = ::testing::Message()
                     << cores << " cores, " << threads << " threads, " << workers
                     << " workers, barriers every " << bound.grain_ns / 1e6 << " ms";
    EXPECT_GT(ours, truth / bound.below) << row;
    EXPECT_LT(ours, truth * bound.above) << row;
  }
}

// It said 0.0008 for 8 workers beside 32 threads on 32 cores.
TEST(WhatIfTeams, ATeamIsAsFastAsUnderASimulatedScheduler) {
  for (const int cores : {1, 2, 4, 8, 16, 32}) {
    for (const int threads : std::set{std::max(1, cores / 2), cores}) {
      for (const int workers : std::set{1, cores / 4, cores / 2, cores, 2 * cores}) {
        const bool all_have_a_core = threads + workers <= cores;
        if (workers > 0 && !all_have_a_core) expect_within_bounds(cores, threads, workers);
      }
    }
  }
}

TEST(WhatIfTeams, AsMeasuredWithPyTorch) {
  std::ifstream file(FLATOUT_SOURCE_DIR "/tests/whatif/measured_teams.json");
  const auto all = nlohmann::json::parse(file);
  struct Seen {
    std::vector<double> speed, cores;
  };
  std::map<std::pair<int, int>, Seen> seen;
  for (const auto& row : all["rows"]) {
    Seen& at = seen[{row["threads"].get<int>(), row["workers"].get<int>()}];
    at.speed.push_back(row["alone_ms"].get<double>() / row["beside_ms"].get<double>());
    at.cores.push_back(row["alone_cores"].get<double>());
  }
  ASSERT_EQ(seen.size(), 12U);
  for (auto& [key, at] : seen) {
    std::ranges::sort(at.speed);
    std::ranges::sort(at.cores);
    const double truth = at.speed[at.speed.size() / 2];
    const double ours =
        modelled(all["cores"].get<double>(), at.cores[at.cores.size() / 2], key.second);
    std::printf("%d threads, %d workers: measured %.2f, modelled %.2f\n", key.first, key.second,
                truth, ours);
    EXPECT_LT(std::max(ours / truth, truth / ours), 1.6) << key.first << " " << key.second;
  }
}

}  // namespace
}  // namespace flatout::analyse
