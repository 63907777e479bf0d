#include "apply/statistics/noise.h"

#include <gtest/gtest.h>

#include <cmath>
#include <vector>

#include "apply/statistics/simulated_trials_fixture.h"

namespace flatout::apply {
namespace {

TEST(Noise, SpreadIsTheStandardDeviation) {
  EXPECT_FALSE(spread_of({}));
  EXPECT_FALSE(spread_of(std::vector<TrialRate>{{.log_rate = 1}}));
  EXPECT_NEAR(spread_of(std::vector<TrialRate>{{.log_rate = 6.00}, {.log_rate = 6.02}}).value(),
              0.02 / std::sqrt(2), 1e-12);
}

TEST(Noise, KnowsThePriorOnlyAtFirst) {
  NoiseModel noise;
  EXPECT_DOUBLE_EQ(noise.variance_between(), kPriorSpread * kPriorSpread);
  noise.learn({});
  noise.learn(std::vector<TrialRate>{{.log_rate = 5, .variance = 1}});
  EXPECT_DOUBLE_EQ(noise.variance_between(), kPriorSpread * kPriorSpread);
}

TEST(Noise, TwoThatAgreeByChanceAreNotWithoutNoise) {
  NoiseModel noise;
  noise.learn(std::vector<TrialRate>{{.log_rate = 6}, {.log_rate = 6}});
  EXPECT_NEAR(std::sqrt(noise.variance_between()), kPriorSpread / std::sqrt(2), 1e-12);
}

TEST(Noise, FindsTheVarianceBetweenBesideThatWithin) {
  for (const double between : {0.003, 0.01, 0.03}) {
    Simulator chance(4);
    SimulatedMachine machine(chance, 0.01, 0);
    NoiseModel noise;
    for (int setting = 0; setting < 300; ++setting) {
      std::vector<TrialRate> trials;
      for (int i = 0; i < 3; ++i) trials.push_back(machine.trial(0.1 * setting, between));
      noise.learn(trials);
    }
    EXPECT_NEAR(std::sqrt(noise.variance_between()) / between, 1, 0.3) << between;
  }
}

TEST(Noise, IsNeverNone) {
  NoiseModel noise;
  for (int i = 0; i < 50; ++i) {
    noise.learn(std::vector<TrialRate>{{.log_rate = 1, .variance = 0.01},
                                       {.log_rate = 1, .variance = 0.01}});
  }
  EXPECT_DOUBLE_EQ(noise.variance_between(), kLeastSpread * kLeastSpread);
}

}  // namespace
}  // namespace flatout::apply
