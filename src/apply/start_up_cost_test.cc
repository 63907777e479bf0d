#include "apply/start_up_cost.h"

#include <gtest/gtest.h>

#include <vector>

namespace flatout::apply {
namespace {

constexpr std::int64_t kMs = 1'000'000;

// `count` steps of `ms` each behind a first one that takes `first_ms`.
std::vector<TimedStep> steps_of_trial(int count, std::int64_t ms, std::int64_t first_ms) {
  std::vector<TimedStep> out;
  std::int64_t t_ns = 0;
  for (int i = 0; i < count; ++i) {
    const std::int64_t own = (i == 0 ? first_ms : ms) * kMs;
    t_ns += own;
    out.push_back({.end_ns = t_ns, .own_ns = own, .samples = 4});
  }
  return out;
}

StartUp start_up(const std::vector<TimedStep>& steps) {
  const auto throughput = steady_throughput(steps, 0);
  EXPECT_TRUE(throughput);
  return start_up_of(steps, throughput.value_or(Throughput{}));
}

TEST(StartUpCost, IsWhatTheFirstStepsTakeBeyondSteadyOnes) {
  const StartUp present = start_up(steps_of_trial(60, 10, 10));
  EXPECT_NEAR(present.step_s, 0.010, 1e-9);
  EXPECT_NEAR(present.excess_s, 0, 1e-9);
  const StartUp compiled = start_up(steps_of_trial(60, 8, 5008));
  EXPECT_NEAR(compiled.step_s, 0.008, 1e-9);
  EXPECT_NEAR(compiled.excess_s, 5, 1e-6);
  const auto cost = start_up_cost(present, compiled);
  ASSERT_TRUE(cost);
  EXPECT_NEAR(cost->seconds, 5, 1e-6);
  EXPECT_NEAR(static_cast<double>(cost->steps_to_pay), 2500, 1);
  EXPECT_NEAR(net_gain(present, compiled, 2500), 1, 1e-6);
  EXPECT_LT(net_gain(present, compiled, 1000), 1);
  EXPECT_NEAR(net_gain(present, compiled, 1'000'000'000), 1.25, 1e-3);
  EXPECT_EQ(net_gain(present, compiled, 0), 0) << "all cost and no step";
}

TEST(StartUpCost, IsNoneWhereTheProgramStartsAsSlowlyByItself) {
  const StartUp present = start_up(steps_of_trial(60, 10, 5000));
  EXPECT_FALSE(start_up_cost(present, start_up(steps_of_trial(60, 8, 4000))));
  EXPECT_FALSE(start_up_cost(present, {.excess_s = 20, .step_s = 0.010})) << "it never pays";
  EXPECT_FALSE(start_up_cost({}, {}));
  EXPECT_EQ(net_gain({}, {}, 10), 1);
  const auto never = start_up_cost({.excess_s = 0, .step_s = 1e-9}, {.excess_s = 1e12});
  ASSERT_TRUE(never);
  EXPECT_EQ(never->steps_to_pay, 1'000'000'000'000'000U);
}

TEST(StartUpCost, OfSeveralTrialsTheColdOneCounts) {
  const std::vector<StartUp> trials = {{.excess_s = 30, .step_s = 0.010},
                                       {.excess_s = 4, .step_s = 0.012}};
  const StartUp out = longest(trials);
  EXPECT_EQ(out.excess_s, 30);
  EXPECT_NEAR(out.step_s, 0.011, 1e-12);
}

}  // namespace
}  // namespace flatout::apply
