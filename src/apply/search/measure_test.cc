#include "apply/search/measure.h"

#include <gtest/gtest.h>

#include <cmath>

namespace flatout::apply {
namespace {

using ObjectiveKind = run::SearchObjective::Kind;

TrialResult trial(int steps, double samples_per_s, double wobble = 0) {
  TrialResult out;
  std::int64_t t_ns = 0;
  for (int i = 0; i < steps; ++i) {
    const double seconds = 8 / samples_per_s * (1 + (i % 2 == 0 ? wobble : -wobble));
    const auto own = static_cast<std::int64_t>(seconds * 1e9);
    t_ns += own;
    out.steps.push_back({.end_ns = t_ns, .own_ns = own, .samples = 8});
  }
  return out;
}

const run::SearchObjective kRate{};
const run::SearchObjective kBusy{
    .kind = ObjectiveKind::kDeviceBusy, .logged = "", .maximise = true};
const run::SearchObjective kLoss{
    .kind = ObjectiveKind::kLogged, .logged = "loss", .maximise = false};

TEST(Objective, TheRateIsThatOfTheSteadyPartOrOfTheSecondHalf) {
  EXPECT_NEAR(*objective_of({trial(60, 400)}, kRate), 400, 1);
  EXPECT_NEAR(*objective_of({trial(6, 400)}, kRate), 400, 1);
  EXPECT_EQ(objective_of({trial(0, 400)}, kRate).error().message, "too few steps to tell a rate");
}

TEST(Objective, BusyIsWhatTheReportHolds) {
  TrialResult with = trial(30, 100);
  with.report.steps = run::StepsReport{};
  EXPECT_FALSE(objective_of({with}, kBusy));  // absent is not 0
  with.report.steps->device_busy = 0.25;
  EXPECT_EQ(*objective_of({with}, kBusy), 0.25);
}

TEST(Objective, ALoggedValueIsTheMeanOfTheLastQuarter) {
  EXPECT_EQ(*objective_of({trial(30, 1), {9, 9, 9, 9, 9, 9, 2, 4}}, kLoss), 3);
  EXPECT_EQ(*objective_of({trial(30, 1), {5}}, kLoss), 5);
  EXPECT_EQ(*objective_of({trial(30, 1), {NAN, 1, 1, 1}}, kLoss), 1);
  EXPECT_EQ(objective_of({trial(30, 1), {1, 1, 1, NAN}}, kLoss).error().message,
            "loss is not finite");
  EXPECT_EQ(objective_of({trial(30, 1), {}}, kLoss).error().message, "the program logged no loss");
}

TEST(Objective, AFailedTrialOrAKnobThatWasNotAppliedSaysNothing) {
  TrialResult failed = trial(60, 100);
  failed.failure = "exit status 1";
  EXPECT_EQ(objective_of({failed}, kRate).error().message, "exit status 1");
  TrialResult other = trial(60, 100);
  run::KnobOutcome outcome;
  outcome.asked.knob = "dataloader.num_workers";
  outcome.reason = "it is a stream";
  other.outcomes.push_back(outcome);
  EXPECT_EQ(objective_of({other}, kRate).error().message,
            "dataloader.num_workers was not applied: it is a stream");
}

TEST(RateRatio, HoldsTheRatioWithItsInterval) {
  const std::vector<TrialResult> slow = {trial(60, 100, 0.02), trial(60, 101, 0.02),
                                         trial(60, 99, 0.02)};
  const std::vector<TrialResult> fast = {trial(60, 200, 0.02), trial(60, 202, 0.02),
                                         trial(60, 198, 0.02)};
  const auto gain = rate_ratio(slow, fast);
  ASSERT_TRUE(gain);
  EXPECT_NEAR(gain->ratio, 2, 0.02);
  EXPECT_GT(gain->lo, 1.85);
  EXPECT_LT(gain->hi, 2.15);
  const auto none = rate_ratio(slow, slow);
  ASSERT_TRUE(none);
  EXPECT_LT(none->lo, 1);
  EXPECT_GT(none->hi, 1);
  EXPECT_FALSE(rate_ratio(slow, {}));
}

// By hand: differences 1, 2, 3: mean 2, deviation 1, error 1/sqrt(3), t(2; 0.975) = 4.3027.
TEST(PairedDifference, IsThatOfTheTextbook) {
  const double baseline[] = {1, 1, 1};
  const double best[] = {2, 3, 4};
  const auto difference = paired_difference(baseline, best);
  ASSERT_TRUE(difference);
  EXPECT_NEAR(difference->mean, 2, 1e-12);
  EXPECT_NEAR(difference->lo, 2 - 4.302653 / std::sqrt(3), 1e-4);
  EXPECT_NEAR(difference->hi, 2 + 4.302653 / std::sqrt(3), 1e-4);
  EXPECT_FALSE(paired_difference(std::span(baseline).first(1), std::span(best).first(1)));
  EXPECT_FALSE(paired_difference(std::span(baseline).first(2), best));
}

}  // namespace
}  // namespace flatout::apply
