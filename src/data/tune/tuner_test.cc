#include "data/tune/tuner.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <string>
#include <vector>

#include "data/tune/change_detector.h"
#include "data/tune/cost_model.h"
#include "data/tune/simulated_loader_for_test.h"
#include "data/tune/window.h"

namespace flatout::data::tune {
namespace {

constexpr int kMostThreads = 32;
constexpr std::size_t kMostAhead = 16;

Bounds bounds_of(double cores, std::size_t batch) {
  return {
      .cores = cores, .most_threads = kMostThreads, .most_ahead = kMostAhead, .batch_size = batch};
}

// One of each script, or as many as FLATOUT_TUNER_SEEDS says; of many, one in a hundred checks or
// so may miss.
std::uint32_t seeds() {
  const char* asked = std::getenv("FLATOUT_TUNER_SEEDS");
  return asked == nullptr ? 1 : static_cast<std::uint32_t>(std::stoul(asked));
}

struct Scenario {
  const char* name;
  std::size_t batch;
  Regime regime;
};

const std::vector<Scenario>& scenarios() {
  static const std::vector<Scenario> all{
      {"costs only, a consumer without a step", 8, {.cores = 4, .cpu_ms = 8}},
      {"one core", 8, {.cores = 1, .cpu_ms = 4}},
      {"many cores", 16, {.cores = 16, .cpu_ms = 20}},
      {"a fast consumer that two of four cores feed", 8, {.cores = 4, .cpu_ms = 8, .step_ms = 40}},
      {"a slow consumer", 8, {.cores = 4, .cpu_ms = 8, .step_ms = 300}},
      {"a step as long as the loader's batch", 8, {.cores = 4, .cpu_ms = 8, .step_ms = 16}},
      {"a slow disk", 8, {.cores = 4, .cpu_ms = 8, .read_ms = 40}},
      {"a disk that is nearly all", 8, {.cores = 4, .cpu_ms = 4, .read_ms = 100}},
      {"a disk with slow reads now and then",
       8,
       {.cores = 4, .cpu_ms = 8, .read_ms = 20, .tail = 0.02, .step_ms = 24}},
      {"batches of one sample", 1, {.cores = 4, .cpu_ms = 8, .read_ms = 20}},
      {"large batches", 128, {.cores = 4, .cpu_ms = 8, .step_ms = 20}},
      {"a consumer that computes on the cores",
       8,
       {.cores = 4, .cpu_ms = 8, .step_cpu_ms = 20, .step_threads = 4}},
      {"the same, whose threads spin behind it; two cores, by turns",
       64,
       {.cores = 2,
        .cpu_ms = 0.62,
        .step_cpu_ms = 2,
        .step_threads = 2,
        .spin_ms = 26,
        .slice_ms = 3}},
      {"costs that vary twofold", 8, {.cores = 4, .cpu_ms = 8, .step_ms = 12, .jitter = 0.9}},
      {"a machine that others use too", 8, {.cores = 4, .hogs = 2, .cpu_ms = 8, .step_ms = 10}},
  };
  return all;
}

double rate_between(SimulatedLoader& sim, double from_s, double to_s, Tuner* tuner) {
  sim.run(from_s, tuner);
  const auto before = sim.samples();
  const double since_s = sim.last_given_s();
  sim.run(to_s, tuner);
  return static_cast<double>(sim.samples() - before) / (sim.last_given_s() - since_s);
}

// Of every point, held for some seconds after the first.
double best_of_grid(const Regime& regime, std::size_t batch, std::uint32_t seed) {
  double best = 0;
  for (const int threads : {1, 2, 4, 8, 12, 16, 32}) {
    for (const std::size_t ahead : {2, 4, 16}) {
      SimulatedLoader sim({regime}, batch, {threads, ahead}, seed);
      // A slow consumer takes few batches, and few of them have a mean of their own.
      const bool slow = regime.step_ms > 100;
      best = std::max(
          best, slow ? rate_between(sim, 3, 13, nullptr) : rate_between(sim, 1, 3.5, nullptr));
    }
  }
  return best;
}

std::string told(const Tuner& tuner) {
  std::string out;
  for (const Change& one : tuner.changes())
    out += "\n  " + std::to_string(static_cast<double>(one.at) / 1e9) +
           " s: " + std::to_string(one.from.threads) + "x" + std::to_string(one.from.ahead) +
           " -> " + std::to_string(one.to.threads) + "x" + std::to_string(one.to.ahead) + " " +
           one.why + " (" + one.looking + ")";
  return out;
}

// The most changes of any minute that begins after `from_s`.
std::ptrdiff_t changes_a_minute(const Tuner& tuner, double from_s) {
  std::ptrdiff_t most = 0;
  for (const Change& first : tuner.changes()) {
    if (static_cast<double>(first.at) < from_s * 1e9) continue;
    most = std::max(most, std::ranges::count_if(tuner.changes(), [&](const Change& one) {
                      return one.at >= first.at && one.at < first.at + 60 * base::kSecond;
                    }));
  }
  return most;
}

TEST(Tuner, WithinThreeSecondsNearTheBestPointOfTheGridAndThenAtRest) {
  for (const Scenario& one : scenarios()) {
    for (std::uint32_t seed = 1; seed <= seeds(); ++seed) {
      const double best = best_of_grid(one.regime, one.batch, seed);
      const Setting first{static_cast<int>(one.regime.cores), 2};
      SimulatedLoader sim({one.regime}, one.batch, first, seed);
      Tuner tuner(bounds_of(one.regime.cores, one.batch), first, 0);
      const double rate = rate_between(sim, 3, 13, &tuner);
      EXPECT_GE(rate, 0.95 * best)
          << one.name << ", seed " << seed << ": " << rate << " of " << best << told(tuner);
      sim.run(70, &tuner);
      EXPECT_LE(changes_a_minute(tuner, 3), 1) << one.name << ", seed " << seed << told(tuner);
      EXPECT_EQ(tuner.phase(), Phase::kResting) << one.name;
    }
  }
}

struct Disturbance {
  const char* name;
  std::size_t batch;
  Regime before;
  Regime during;
};

TEST(Tuner, FiveSecondsAfterADisturbanceItIsNearTheBestPointAgainAndAfterItsEndToo) {
  const std::vector<Disturbance> all{
      {"a hog on each core",
       8,
       {.cpu_ms = 8, .step_ms = 20},
       {.hogs = 4, .cpu_ms = 8, .step_ms = 20}},
      {"two hogs, a slow consumer",
       8,
       {.cpu_ms = 8, .step_ms = 40},
       {.hogs = 2, .cpu_ms = 8, .step_ms = 40}},
      {"a disk that becomes slow", 8, {.cpu_ms = 8}, {.cpu_ms = 8, .read_ms = 30}},
      {"the same, with a consumer that has a step",
       8,
       {.cpu_ms = 8, .step_ms = 30},
       {.cpu_ms = 8, .read_ms = 30, .step_ms = 30}},
      {"large batches, a slow disk",
       64,
       {.cpu_ms = 4, .step_ms = 80},
       {.cpu_ms = 4, .read_ms = 20, .step_ms = 80}},
      {"a consumer that becomes fast",
       8,
       {.cpu_ms = 8, .step_ms = 100},
       {.cpu_ms = 8, .step_ms = 18}},
      {"files that become large", 8, {.cpu_ms = 4, .step_ms = 30}, {.cpu_ms = 12, .step_ms = 30}},
  };
  for (const Disturbance& one : all) {
    for (std::uint32_t seed = 1; seed <= seeds(); ++seed) {
      Regime before = one.before;
      Regime during = one.during;
      before.until_s = 20;
      during.until_s = 50;
      const Setting first{4, 2};
      SimulatedLoader sim({before, during, one.before}, one.batch, first, seed);
      Tuner tuner(bounds_of(4, one.batch), first, 0);
      const double disturbed = rate_between(sim, 25, 45, &tuner);
      const double after = rate_between(sim, 55, 75, &tuner);
      EXPECT_GE(disturbed, 0.95 * best_of_grid(one.during, one.batch, seed))
          << one.name << ", seed " << seed << told(tuner);
      EXPECT_GE(after, 0.95 * best_of_grid(one.before, one.batch, seed))
          << "after " << one.name << ", seed " << seed << told(tuner);
    }
  }
}

// A loader is made, and then the model: what lies between is not taken from the time for tries.
TEST(Tuner, ALoaderThatIsUsedLaterIsTunedLater) {
  const Regime regime{.cores = 4, .hogs = 4, .cpu_ms = 8};  // what no model tells, but a try
  SimulatedLoader sim({regime}, 8, {4, 2}, 1);
  Tuner tuner(bounds_of(4, 8), {4, 2}, -60 * base::kSecond);
  tuner.resumed(0, {});
  EXPECT_GE(rate_between(sim, 3, 13, &tuner), 0.95 * best_of_grid(regime, 8, 1)) << told(tuner);
}

// A consumer that does not wait gets no more of anything.
TEST(Tuner, NothingIsAddedWhereTheConsumerDoesNotWait) {
  SimulatedLoader sim({{.cpu_ms = 8, .step_ms = 300}}, 8, {4, 2}, 1);
  Tuner tuner(bounds_of(4, 8), {4, 2}, 0);
  sim.run(60, &tuner);
  EXPECT_LT(tuner.setting().threads, 4) << told(tuner);
  EXPECT_EQ(tuner.setting().ahead, 2U) << told(tuner);
}

TEST(Tuner, WhatWasAskedForStays) {
  for (const bool threads : {true, false}) {
    Bounds bounds = bounds_of(4, 8);
    bounds.tune_threads = threads;
    bounds.tune_ahead = !threads;
    SimulatedLoader sim({{.cpu_ms = 8, .read_ms = 40}}, 8, {3, 1}, 1);
    Tuner tuner(bounds, {3, 1}, 0);
    sim.run(30, &tuner);
    EXPECT_EQ(tuner.setting().threads == 3, !threads) << told(tuner);
    EXPECT_EQ(tuner.setting().ahead == 1, threads) << told(tuner);
  }
}

TEST(Tuner, NeverBeyondItsBounds) {
  Bounds bounds = bounds_of(4, 8);
  bounds.most_threads = 6;
  bounds.most_ahead = 3;
  SimulatedLoader sim({{.cpu_ms = 8, .read_ms = 80, .tail = 0.05}}, 8, {4, 2}, 1);
  Tuner tuner(bounds, {4, 2}, 0);
  sim.run(60, &tuner);
  EXPECT_GT(tuner.changes_made(), 0U);
  for (const Change& one : tuner.changes()) {
    EXPECT_LE(one.to.threads, 6);
    EXPECT_LE(one.to.ahead, 3U);
  }
  EXPECT_LE(sim.most_open(), 3U);
}

constexpr base::DurationNs kMs = base::kMillisecond;

TEST(Window, TellsRateStarvationGapAndCost) {
  Window window;
  window.open(0, {});
  for (int i = 0; i < 10; ++i)  // a cycle of 100 ms, of which 25 are spent waiting
    window.add({.asked = (100 * i + 75) * kMs,
                .given = (100 * i + 100) * kMs,
                .making = 30 * kMs,
                .samples = 4});
  const Figures figures = window.figures(1000 * kMs,
                                         {.samples = 40,
                                          .read = 400 * kMs,
                                          .compute = 800 * kMs,
                                          .cpu = 840 * kMs,
                                          .run_delay = 0,
                                          .squares_s2 = 40 * 0.0009},
                                         {});
  EXPECT_EQ(figures.batches, 9U) << "the first has no cycle before it";
  EXPECT_NEAR(figures.rate, 40, 1e-9);
  EXPECT_NEAR(figures.starved, 0.25, 1e-9);
  EXPECT_NEAR(figures.gap, 0.075, 1e-9);
  EXPECT_NEAR(figures.slow_making, 0.03, 1e-9);
  EXPECT_NEAR(figures.cost.wall, 0.03, 1e-9);
  EXPECT_NEAR(figures.cost.cpu, 0.021, 1e-9);
  EXPECT_NEAR(figures.cost.latency, 0.009, 1e-9) << "what no CPU time accounts for";
}

// The rate is as sure as sums of cycles are steady, not as single ones are.
TEST(Window, CyclesThatMakeUpForEachOtherAreNoDoubt) {
  for (const bool in_turn : {true, false}) {
    Window window;
    window.open(0, {});
    base::TimeNs now = 0;
    for (int i = 0; i < 33; ++i) {
      const bool slow = in_turn ? i % 2 == 0 : i % 16 < 8;
      now += slow ? 30 * kMs : 10 * kMs;
      window.add({.asked = now, .given = now, .samples = 4});
    }
    const Figures figures = window.figures(now, {.samples = 132}, {});
    EXPECT_NEAR(figures.rate, 200, 5);
    if (in_turn) {
      EXPECT_LT(figures.rate_error, 0.05);  // 0.09 where each counts as independent
    } else {
      EXPECT_GT(figures.rate_error, 0.12);
    }
  }
}

TEST(Window, AWaitUnderWayCountsAndAPauseDoesNot) {
  Window window;
  window.open(0, {});
  for (int i = 0; i < 4; ++i)
    window.add({.asked = (10 * i + 10) * kMs, .given = (10 * i + 10) * kMs, .samples = 1});
  window.add({.asked = 2000 * kMs, .given = 2000 * kMs, .samples = 1});  // a validation
  EXPECT_EQ(window.figures(2000 * kMs, {}, {}).batches, 3U);
  window.interrupt();
  window.add({.asked = 2100 * kMs, .given = 2150 * kMs, .samples = 1});
  EXPECT_EQ(window.figures(2200 * kMs, {}, {}).batches, 3U);
  EXPECT_NEAR(window.figures(2240 * kMs, {}, 2210 * kMs).starved, 0.5, 1e-9);
}

TEST(Window, CrowdedCoresAreNoLatency) {
  Window window;
  window.open(0, {});
  const auto latency = [&](base::DurationNs read, base::DurationNs compute,
                           base::DurationNs run_delay) {
    return window
        .figures(100 * kMs,
                 {.samples = 10,
                  .read = read,
                  .compute = compute,
                  .cpu = 90 * kMs,
                  .run_delay = run_delay},
                 {})
        .cost.latency;
  };
  EXPECT_NEAR(latency(20 * kMs, 160 * kMs, 0), 0.002, 1e-9)
      << "nobody says how long it had no core";
  EXPECT_NEAR(latency(20 * kMs, 160 * kMs, 90 * kMs), 0, 1e-9) << "it had none while it read, too";
  EXPECT_NEAR(latency(80 * kMs, 90 * kMs, 10 * kMs), 0.007, 1e-9);
  EXPECT_EQ(window.figures(100 * kMs, {}, {}).cost.wall, 0) << "nothing was made";
}

TEST(CostModel, LittlesLaw) {
  const Bounds bounds{.cores = 4, .most_threads = 64, .most_ahead = 8, .batch_size = 10};
  Figures figures{.starved = 0.5,
                  .gap = 0.1,
                  .batch_samples = 10,
                  .cost = {.cpu = 0.02, .wall = 0.02, .compute = 0.02}};
  EXPECT_NEAR(threads_for(figures, bounds), 2.2, 1e-9)
      << "100 samples a second, a tenth to spare, 20 ms each";
  figures.gap = 0.001;
  EXPECT_NEAR(threads_for(figures, bounds), 4, 1e-9) << "no more than there are cores";
  figures.cost = {.cpu = 0.02, .wall = 0.1, .compute = 0.02, .latency = 0.08};
  EXPECT_NEAR(threads_for(figures, bounds), 24, 1e-9) << "four on the cores, the others reading";
  EXPECT_EQ(threads_for({}, bounds), 0);
  figures.slow_making = 0.45;
  EXPECT_EQ(ahead_for_slow_batches(figures, 0.1), 6U);
  EXPECT_EQ(ahead_for_slow_batches(figures, 0), 2U);
  EXPECT_EQ(bounded({100, 100}, bounds), (Setting{60, 8}));
  EXPECT_EQ(bounded({0, 0}, bounds), (Setting{1, 2}));
}

TEST(ChangeDetector, OneStrangeValueIsNoChangeTwoAre) {
  ChangeDetector detector;
  for (int i = 0; i < 200; ++i)
    ASSERT_FALSE(detector.changed(i % 2 == 0 ? 0.05 : -0.05, 0.01)) << i;
  EXPECT_FALSE(detector.changed(3, 0.01));
  for (int i = 0; i < 20; ++i) ASSERT_FALSE(detector.changed(0, 0.01));
  EXPECT_FALSE(detector.changed(-0.7, 0.01));
  EXPECT_TRUE(detector.changed(-0.7, 0.01));
  detector.restart();
  for (int i = 0; i < 20; ++i)
    EXPECT_FALSE(detector.changed(-0.7, 0.01)) << "that is the usual now";
}

}  // namespace
}  // namespace flatout::data::tune
