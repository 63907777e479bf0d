#include "apply/loss_gate.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <random>

namespace flatout::apply {
namespace {

using run::LossGate;
using Trials = std::vector<LossEvidence>;

// A loss that falls from 2.3 towards 1, `noise` of its own, `offset` on top.
LossEvidence training(unsigned seed, double noise = 0.05, double offset = 0, int steps = 60) {
  std::mt19937 random(seed);
  std::normal_distribution<double> normal(0, noise);
  LossEvidence out;
  for (int i = 0; i < steps; ++i) {
    out.losses.push_back(1 + 1.3 * std::exp(-i / 30.0) + normal(random) + offset);
  }
  out.sample_orders[1] = {{8, "a1"}, {16, "a2"}};
  for (int i = 0; i < 8; ++i) out.grad_norms[i] = 2 * std::exp(normal(random));
  out.grad_norms[steps - 1] = 0.3 * std::exp(normal(random));
  return out;
}

LossGate gate(KnobChanges changes, const Trials& same, const Trials& others,
              const LossEvidence& candidate) {
  const auto opinion = judge_loss(changes, same, others, candidate);
  const bool silent = opinion.gate == LossGate::kPassed || opinion.gate == LossGate::kNotNeeded;
  EXPECT_EQ(opinion.reason.empty(), silent) << opinion.reason;
  return opinion.gate;
}

TEST(LossGate, ADeterministicProgramStaysBitForBit) {
  const Trials same = {training(1), training(1)};
  EXPECT_EQ(gate(KnobChanges::kNothing, same, {}, training(1)), LossGate::kPassed);
  auto other = training(1);
  other.losses[40] = std::nextafter(other.losses[40], 9);
  EXPECT_EQ(gate(KnobChanges::kNothing, same, {}, other), LossGate::kFailed);
  // One that differs by itself, or that shows no loss, cannot be held to that.
  EXPECT_EQ(gate(KnobChanges::kNothing, {training(1), training(2)}, {}, training(3)),
            LossGate::kNotNeeded);
  EXPECT_EQ(gate(KnobChanges::kNothing, {{}, {}}, {}, {}), LossGate::kNotNeeded);
  EXPECT_EQ(gate(KnobChanges::kNothing, {training(1)}, {}, other), LossGate::kNotNeeded);
}

TEST(LossGate, ALossThatIsNotFiniteFailsWhateverTheKnob) {
  for (const auto changes : {KnobChanges::kNothing, KnobChanges::kDraws, KnobChanges::kRounding}) {
    for (const double bad :
         {std::numeric_limits<double>::quiet_NaN(), std::numeric_limits<double>::infinity()}) {
      auto broken = training(5);
      broken.losses.back() = bad;
      const Trials others = {training(2), training(3)};
      EXPECT_EQ(gate(changes, {training(1), training(4)}, others, broken), LossGate::kFailed);
      // Not the knob's doing where it happens without it.
      EXPECT_NE(gate(changes, {broken, broken}, others, broken), LossGate::kFailed);
    }
  }
}

TEST(LossGate, OtherDrawsStayWithinTheSpreadOfSeeds) {
  int refused = 0;
  int missed = 0;
  for (unsigned round = 0; round < 400; ++round) {
    const unsigned seed = round * 10;
    const Trials same = {training(seed)};
    const Trials others = {training(seed + 1), training(seed + 2)};
    refused += gate(KnobChanges::kDraws, same, others, training(seed + 3)) == LossGate::kFailed;
    missed +=
        gate(KnobChanges::kDraws, same, others, training(seed + 4, 0.05, 1)) != LossGate::kFailed;
  }
  EXPECT_LE(refused, 12);  // 1 % are meant: 4, and 12 is four deviations up
  EXPECT_LE(missed, 4);    // a loss that is twice as high
}

TEST(LossGate, OtherDrawsInAnotherOrderFail) {
  auto candidate = training(4);
  const Trials others = {training(2), training(3)};
  const auto opinion = [&] { return gate(KnobChanges::kDraws, {training(1)}, others, candidate); };
  candidate.sample_orders[1][16] = "b2";
  EXPECT_EQ(opinion(), LossGate::kFailed);
  candidate.sample_orders[1] = {{8, "a1"}, {32, "b3"}};  // the most that both have is 8
  EXPECT_EQ(opinion(), LossGate::kPassed);
  candidate.sample_orders[1][8] = "b1";
  EXPECT_EQ(opinion(), LossGate::kFailed);
  candidate.sample_orders = {{2, {{8, "b1"}}}};  // of another loader
  EXPECT_EQ(opinion(), LossGate::kPassed);
  candidate.sample_orders.clear();  // an iterable dataset has no indices
  EXPECT_EQ(opinion(), LossGate::kPassed);
}

TEST(LossGate, WithoutEnoughToGoByItIsInconclusive) {
  const Trials others = {training(2), training(3)};
  EXPECT_EQ(gate(KnobChanges::kDraws, {training(1)}, {training(2)}, training(4)),
            LossGate::kInconclusive);
  EXPECT_EQ(gate(KnobChanges::kDraws, {training(1)}, others, {}), LossGate::kInconclusive);
  EXPECT_EQ(gate(KnobChanges::kDraws, {}, others, training(4)), LossGate::kInconclusive);
  EXPECT_EQ(gate(KnobChanges::kRounding, {training(1)}, {}, training(1)), LossGate::kInconclusive);
  EXPECT_EQ(gate(KnobChanges::kRounding, {training(1), training(1)}, {}, training(1, 0.05, 0, 9)),
            LossGate::kInconclusive);
}

TEST(LossGate, RoundingMovesTheLossByNextToNothing) {
  const Trials same = {training(1), training(1)};
  EXPECT_EQ(gate(KnobChanges::kRounding, same, {}, training(1, 0.05, 0.004)), LossGate::kPassed);
  EXPECT_EQ(gate(KnobChanges::kRounding, same, {}, training(1, 0.05, 0.02)), LossGate::kFailed);
  // A program whose own runs differ by more allows more.
  const Trials restless = {training(1), training(1, 0.05, 0.05)};
  EXPECT_EQ(gate(KnobChanges::kRounding, restless, {}, training(1, 0.05, 0.02)), LossGate::kPassed);
}

// The candidate's norms: each of another training of the same losses, times a factor.
struct NormCase {
  const char* what;
  KnobChanges changes;
  double factor;  // on all norms of the candidate
  double last;    // in the place of the candidate's last one; 0 = as it is
  double own;     // factor on the baseline's repetition, and on its first other seed
  LossGate gate;
  bool without_norms = false;
};

constexpr double kNan = std::numeric_limits<double>::quiet_NaN();
constexpr double kInfinity = std::numeric_limits<double>::infinity();

const std::vector<NormCase> kNormCases = {
    {"the same", KnobChanges::kRounding, 1, 0, 1, LossGate::kPassed},
    {"rounding moves it a little", KnobChanges::kRounding, 1.1, 0, 1, LossGate::kPassed},
    {"too large", KnobChanges::kRounding, 1.4, 0, 1, LossGate::kFailed},
    {"too small", KnobChanges::kRounding, 0.7, 0, 1, LossGate::kFailed},
    {"underflow", KnobChanges::kRounding, 0, 0, 1, LossGate::kFailed},
    {"never unscaled", KnobChanges::kRounding, 65536, 0, 1, LossGate::kFailed},
    {"the program itself moves as far", KnobChanges::kRounding, 1.4, 0, 1.3, LossGate::kPassed},
    {"and farther than that is too far", KnobChanges::kRounding, 2, 0, 1.3, LossGate::kFailed},
    {"one is not a number", KnobChanges::kRounding, 1, kNan, 1, LossGate::kFailed},
    {"one is infinite", KnobChanges::kDraws, 1, kInfinity, 1, LossGate::kFailed},
    {"one alone is large", KnobChanges::kRounding, 1, 40, 1, LossGate::kPassed},
    {"a different random stream", KnobChanges::kDraws, 1.05, 0, 1, LossGate::kPassed},
    {"draws that blow it up", KnobChanges::kDraws, 2, 0, 1, LossGate::kFailed},
    {"seeds differ more", KnobChanges::kDraws, 2, 0, 1.5, LossGate::kPassed},
    {"not seen", KnobChanges::kRounding, -1, 0, 1, LossGate::kPassed, true},
    {"not seen in a different random stream", KnobChanges::kDraws, -1, 0, 1, LossGate::kPassed,
     true},
    {"not finite without it, either", KnobChanges::kRounding, 1, kNan, kNan, LossGate::kPassed,
     true},
};

TEST(LossGate, TheGradientsNormStaysSane) {
  for (const NormCase& row : kNormCases) {
    auto candidate = training(1);
    for (auto& [update, norm] : candidate.grad_norms) norm *= row.factor;
    if (row.last != 0) candidate.grad_norms.rbegin()->second = row.last;
    if (row.factor < 0) candidate.grad_norms.clear();
    Trials same = {training(1), training(1)};
    Trials others = {training(2), training(3)};
    for (auto& [update, norm] : same[1].grad_norms) norm *= row.own;
    for (auto& [update, norm] : others[0].grad_norms) norm *= row.own;
    const bool draws = row.changes == KnobChanges::kDraws;
    const auto opinion = judge_loss(row.changes, same, draws ? others : Trials{}, candidate);
    EXPECT_EQ(opinion.gate, row.gate) << row.what << ": " << opinion.reason;
    EXPECT_EQ(opinion.without_norms, row.without_norms) << row.what;
    EXPECT_EQ(opinion.reason.empty(), row.gate == LossGate::kPassed) << row.what;
  }
}

TEST(LossGate, WhatChangesNothingIsNotHeldToANorm) {
  auto candidate = training(1);
  candidate.grad_norms[0] = kNan;
  EXPECT_EQ(gate(KnobChanges::kNothing, {training(1), training(1)}, {}, candidate),
            LossGate::kPassed);
}

}  // namespace
}  // namespace flatout::apply
