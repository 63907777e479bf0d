#include "apply/trial_pace.h"

#include <gtest/gtest.h>

namespace flatout::apply {
namespace {

// Its steps take 10 ms each, its start-up takes 2 s.
TrialResult trial_of(std::size_t steps) {
  TrialResult out;
  for (std::size_t i = 1; i <= steps; ++i) {
    out.steps.push_back(
        {.end_ns = static_cast<std::int64_t>(i) * 10'000'000, .own_ns = 10'000'000});
  }
  out.wall_ns = 2 * base::kSecond + static_cast<std::int64_t>(steps) * 10'000'000;
  return out;
}

TEST(TrialPace, StartUpIsPaidOnce) {
  const TrialPace pace = pace_of(trial_of(100), 101);
  EXPECT_NEAR(pace.step_s, 0.01, 1e-9);
  EXPECT_EQ(pace.expected_ns(100), 3 * base::kSecond);
  EXPECT_NEAR(static_cast<double>(pace.expected_ns(1100)), 13e9, 1e6);
}

TEST(TrialPace, FewerStepsAreNotPromisedToBeFaster) {
  EXPECT_EQ(pace_of(trial_of(100), 101).expected_ns(10), 3 * base::kSecond);
}

TEST(TrialPace, AProgramThatEndsByItselfHasNoMoreSteps) {
  const TrialPace pace = pace_of(trial_of(100), 500);
  EXPECT_TRUE(pace.ended_by_itself);
  EXPECT_EQ(pace.expected_ns(1100), 3 * base::kSecond);
}

TEST(TrialPace, NothingIsKnownWithoutATrial) {
  EXPECT_EQ(TrialPace{}.expected_ns(1000), 0);
  EXPECT_EQ(pace_of(TrialResult{}, 40).expected_ns(1000), 0);
}

}  // namespace
}  // namespace flatout::apply
