#include "apply/gate_of_runs.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <random>

namespace flatout::apply {
namespace {

using run::LossGate;

constexpr double kNone = std::numeric_limits<double>::quiet_NaN();

// Losses of batches that differ, of a training that hardly gets on in a few steps.
std::vector<double> losses(unsigned batches, double shift = 0, double rounding = 0,
                           unsigned seed = 1) {
  std::mt19937 of_batches(batches);
  std::mt19937 of_rounding(seed);
  std::normal_distribution<double> normal;
  std::vector<double> out;
  for (std::uint64_t i = 0; i < kSameBatchSteps; ++i) {
    out.push_back(1 + 0.1 * normal(of_batches) + shift + rounding * normal(of_rounding));
  }
  return out;
}

TrainingSeen seen(std::vector<double> losses, Movement moved = {}) {
  return {.losses = std::move(losses), .moved = moved};
}

const TrainingSeen reference{.losses = losses(1), .moved = {}};
const TrainingSeen rerun = seen(losses(1));

LossGate gate(const TrainingSeen& candidate, const TrainingSeen& again = rerun) {
  return judge_same_batches(reference, again, candidate).gate;
}

TEST(GateOfRuns, TheSameLossesPass) { EXPECT_EQ(gate(seen(losses(1))), LossGate::kPassed); }

TEST(GateOfRuns, RoundingPassesAndAnotherLossDoesNot) {
  const Movement rounded{.cosine = 0.98, .ratio = 1.01, .least = 0.9, .most = 1.2};
  EXPECT_EQ(gate(seen(losses(1, 0.001, 0.002), rounded)), LossGate::kPassed);
  EXPECT_EQ(gate(seen(losses(1, 0.2, 0.002), rounded)), LossGate::kFailed);
  EXPECT_EQ(gate(seen(losses(1, -0.2), rounded)), LossGate::kFailed);
}

TEST(GateOfRuns, WhatIsNotFiniteFailsOnlyWhereItIsWithoutIt) {
  auto spoilt = losses(1);
  spoilt[3] = kNone;
  EXPECT_EQ(gate(seen(spoilt)), LossGate::kFailed);
  EXPECT_EQ(gate(seen(spoilt), seen(spoilt)), LossGate::kInconclusive);
}

TEST(GateOfRuns, ParametersThatMoveOtherwiseFail) {
  const auto of = [](Movement moved) {
    return judge_same_batches(reference, rerun, seen(losses(1, 0, 0.001), moved));
  };
  EXPECT_EQ(of({.cosine = 0.99, .ratio = 1, .least = 0, .most = 1}).gate, LossGate::kFailed);
  EXPECT_EQ(of({.cosine = 0.99, .ratio = 1.5, .least = 1, .most = 2}).gate, LossGate::kFailed);
  EXPECT_EQ(of({.cosine = 0.99, .ratio = 1, .least = 1, .most = 9}).gate, LossGate::kFailed);
  EXPECT_EQ(of({.cosine = 0.1, .ratio = 1, .least = 1, .most = 1}).gate, LossGate::kFailed);
  EXPECT_EQ(of({.cosine = kNone, .ratio = 1, .least = 1, .most = 1}).gate, LossGate::kFailed);
  EXPECT_EQ(of({.cosine = 1, .ratio = kNone, .least = 1, .most = 1}).gate, LossGate::kFailed);
  EXPECT_EQ(of({.cosine = 0.8, .ratio = 1.2, .least = 0.5, .most = 3}).gate, LossGate::kPassed);
  const auto reason = of({.cosine = 0.99, .ratio = 1, .least = 0.02, .most = 1}).reason;
  EXPECT_EQ(reason, "a parameter moves 0.02 times as far as without it");
}

TEST(GateOfRuns, AProgramThatNeverDoesTheSameIsHeldToWhatItDoes) {
  const TrainingSeen wild =
      seen(losses(1, 0.3), {.cosine = 0.4, .ratio = 1.3, .least = 0.1, .most = 8});
  EXPECT_EQ(
      gate(seen(losses(1, 0.4), {.cosine = 0.3, .ratio = 1.4, .least = 0.1, .most = 9}), wild),
      LossGate::kPassed);
  EXPECT_EQ(gate(seen(losses(1, 0.9), *wild.moved), wild), LossGate::kFailed);
}

TEST(GateOfRuns, WithoutMovementsTheLossesDecideAndItIsSaid) {
  const auto opinion =
      judge_same_batches(reference, {.losses = losses(1), .moved = {}}, seen(losses(1, 0, 0.001)));
  EXPECT_EQ(opinion.gate, LossGate::kPassed);
  EXPECT_TRUE(opinion.without_norms);
}

TEST(GateOfRuns, FewLossesShowNothing) {
  const TrainingSeen few{.losses = {1, 2}, .moved = {}};
  EXPECT_EQ(gate(few), LossGate::kInconclusive);
  EXPECT_EQ(judge_fresh_batches(std::vector{few, few}, std::vector{few, few}).gate,
            LossGate::kInconclusive);
  EXPECT_EQ(judge_fresh_batches({}, {}).gate, LossGate::kInconclusive);
}

std::vector<TrainingSeen> runs(unsigned first, double shift) {
  std::vector<TrainingSeen> out;
  for (unsigned i = 0; i < kGatePairs; ++i) out.push_back(seen(losses(first + i, shift)));
  return out;
}

TEST(GateOfRuns, OtherDrawsOfTheSameDataPassAndOtherDataDoesNot) {
  int sound = 0;
  int spoilt = 0;
  for (unsigned seed = 0; seed < 400; ++seed) {
    sound += judge_fresh_batches(runs(100 * seed, 0), runs(100 * seed + 50, 0)).gate ==
             LossGate::kPassed;
    spoilt += judge_fresh_batches(runs(100 * seed, 0), runs(100 * seed + 50, 0.5)).gate ==
              LossGate::kFailed;
  }
  EXPECT_GE(sound, 390) << "99 of 100 but for chance";
  EXPECT_EQ(spoilt, 400);
}

TEST(GateOfRuns, AnyLossOfFreshBatchesMustBeFinite) {
  auto broken = runs(1, 0);
  broken[2].losses.back() = kNone;
  EXPECT_EQ(judge_fresh_batches(runs(1, 0), broken).gate, LossGate::kFailed);
  EXPECT_EQ(judge_fresh_batches(broken, runs(1, 0)).gate, LossGate::kInconclusive);
}

}  // namespace
}  // namespace flatout::apply
