#include "analyse/compare/worsening.h"

#include <gtest/gtest.h>

#include <random>

namespace flatout::analyse {
namespace {

// Steady steps of these lengths; a quarter of each is waiting for data.
Analysis of_steps(std::uint64_t seed, std::size_t count, double mean_ms, double spread = 0.1) {
  std::mt19937_64 random(seed);
  std::normal_distribution<double> noise(0, mean_ms * spread);
  Analysis analysis;
  std::int64_t at = 0;
  for (std::size_t i = 0; i < count; ++i) {
    Step step;
    step.begin_ns = at;
    step.own_ns = static_cast<std::int64_t>(std::max(0.1, mean_ms + noise(random)) * 1e6);
    step.end_ns = at += step.own_ns;
    step.phases[1] = step.own_ns / 4;
    step.phases[0] = step.own_ns - step.phases[1];
    step.samples = 32;
    analysis.cut.steps.push_back(step);
  }
  return analysis;
}

run::Worsening one(const Analysis& before, const Analysis& after, const std::string& figure) {
  return worsenings(before, after, {figure}).at(0);
}

TEST(Worsening, OfARunOverItselfHoldsNothing) {
  const Analysis run = of_steps(1, 700, 10);
  for (const char* figure : {"step.mean_ms", "step.median_ms", "step.p99_ms", "step.samples_per_s",
                             "phase.data_wait", "phase.comm"}) {
    const run::Worsening same = one(run, run, figure);
    EXPECT_DOUBLE_EQ(same.change, 0) << figure;
    EXPECT_LE(same.lo, 0) << figure;
    EXPECT_GE(same.hi, 0) << figure;
  }
}

TEST(Worsening, OfSlowerStepsIsProvedAndOfFasterOnesIsNot) {
  const Analysis base = of_steps(1, 300, 10);
  const Analysis slow = of_steps(2, 300, 12);
  for (const char* figure : {"step.mean_ms", "step.median_ms", "step.samples_per_s"}) {
    const run::Worsening worse = one(base, slow, figure);
    EXPECT_NEAR(worse.change, 0.2, 0.04) << figure;
    EXPECT_GT(worse.lo, 0.1) << figure;
    EXPECT_LT(worse.hi, 0.3) << figure;
    EXPECT_LT(one(slow, base, figure).hi, 0) << figure;
  }
}

TEST(Worsening, OfAPhaseIsADifferenceOfShares) {
  const Analysis base = of_steps(1, 200, 10);
  Analysis waits = of_steps(2, 200, 10);
  for (Step& step : waits.cut.steps) {
    step.phases[1] = step.own_ns / 2;
    step.phases[0] = step.own_ns - step.phases[1];
  }
  const run::Worsening worse = one(base, waits, "phase.data_wait");
  EXPECT_FALSE(worse.relative);
  EXPECT_NEAR(worse.change, 0.25, 1e-6);
  EXPECT_GT(worse.lo, 0.24);
}

TEST(Worsening, IsAbsentWithTooFewSteps) {
  const Analysis base = of_steps(1, 300, 10);
  EXPECT_TRUE(worsenings(base, of_steps(2, 19, 10), {"step.mean_ms"}).empty());
  EXPECT_TRUE(worsenings(base, base, {"step.p99_ms"}).empty());
  EXPECT_TRUE(worsenings(base, base, {"device.busy", "nonsense"}).empty());
  EXPECT_FALSE(p99_ms(of_steps(1, 99, 10)));
  EXPECT_TRUE(p99_ms(of_steps(1, 100, 10)));
}

TEST(Worsening, OfStepsThatTookNoTimeIsAbsent) {
  Analysis none = of_steps(1, 100, 10);
  for (Step& step : none.cut.steps) step.own_ns = 0;
  EXPECT_TRUE(worsenings(none, of_steps(1, 100, 10), {"step.mean_ms"}).empty());
}

// Of 100 pairs of runs that are alike, the interval of about 95 holds 0; the gate of a budget
// without slack fails by its lower end alone.
TEST(Worsening, SeldomProvesWhatIsNotSo) {
  int proved = 0;
  for (std::uint64_t seed = 1; seed <= 100; ++seed) {
    const auto found = one(of_steps(seed, 200, 10), of_steps(seed + 1000, 200, 10), "step.mean_ms");
    proved += found.lo > 0 ? 1 : 0;
  }
  EXPECT_LE(proved, 6);
}

TEST(Worsening, OfALongRunIsQuickAndRight) {
  const Analysis base = of_steps(1, 30000, 10);
  const Analysis slow = of_steps(2, 30000, 10.5);
  const run::Worsening worse = one(base, slow, "step.p99_ms");
  EXPECT_NEAR(worse.change, 0.05, 0.01);
  EXPECT_GT(worse.lo, 0);
}

}  // namespace
}  // namespace flatout::analyse
