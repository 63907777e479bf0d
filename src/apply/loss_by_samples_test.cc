#include "apply/loss_by_samples.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <random>
#include <string>

namespace flatout::apply {
namespace {

using run::LossGate;

// A loss that falls with the samples seen, as long batches of `size` make it.
LossEvidence trial(int size, int losses, unsigned seed, double tau = 400, double off = 0) {
  std::mt19937 random(seed);
  std::normal_distribution<double> noise(0, 0.2 / std::sqrt(size));
  LossEvidence out;
  double seen = 0;
  for (int i = 0; i < losses; ++i) {
    out.losses.push_back(1 + off + std::exp(-seen / tau) + noise(random));
    out.samples.push_back(size);
    seen += size;
  }
  return out;
}

GateOpinion judge(const LossEvidence& candidate, int losses = 400) {
  const std::vector<LossEvidence> seeds = {trial(4, losses, 2), trial(4, losses, 3)};
  return judge_by_samples(trial(4, losses, 1), seeds, candidate);
}

TEST(LossBySamplesTest, TheSameLossAfterTheSameSamplesPasses) {
  EXPECT_EQ(judge(trial(64, 100, 9)).gate, LossGate::kPassed);
  EXPECT_EQ(judge(trial(64, 30, 9)).gate, LossGate::kPassed) << "the range is what both have";
  EXPECT_EQ(judge(trial(2, 900, 9)).gate, LossGate::kPassed);
}

TEST(LossBySamplesTest, ALossThatFallsLaterFails) {
  const GateOpinion opinion = judge(trial(64, 100, 9, 4000));
  EXPECT_EQ(opinion.gate, LossGate::kFailed);
  EXPECT_NE(opinion.reason.find("after 1600 samples the loss is"), std::string::npos)
      << opinion.reason;
}

TEST(LossBySamplesTest, ALowerLossIsNoHarm) {
  EXPECT_EQ(judge(trial(64, 100, 9, 100, -0.3)).gate, LossGate::kPassed);
}

TEST(LossBySamplesTest, FewLossesAreInconclusiveAndSayHowManyStepsAreEnough) {
  const GateOpinion opinion = judge(trial(64, 60, 9), 60);
  EXPECT_EQ(opinion.gate, LossGate::kInconclusive);
  EXPECT_NE(opinion.reason.find("--steps 192"), std::string::npos) << opinion.reason;
  EXPECT_EQ(judge(trial(64, 192, 9), 192).gate, LossGate::kPassed) << "as it said";
}

TEST(LossBySamplesTest, WhatIsNotKnownIsInconclusive) {
  LossEvidence unknown = trial(64, 100, 9);
  unknown.samples.clear();
  EXPECT_EQ(judge(unknown).gate, LossGate::kInconclusive);
  const LossEvidence program = trial(4, 400, 1);
  const std::vector<LossEvidence> one = {trial(4, 400, 2)};
  EXPECT_EQ(judge_by_samples(program, one, trial(64, 100, 9)).gate, LossGate::kInconclusive);
  EXPECT_EQ(judge_by_samples({}, {}, {}).gate, LossGate::kInconclusive);
}

TEST(LossBySamplesTest, ALossThatIsNotFiniteFailsWhereTheProgramsAre) {
  LossEvidence broken = trial(64, 100, 9);
  broken.losses[70] = std::numeric_limits<double>::quiet_NaN();
  EXPECT_EQ(judge(broken).gate, LossGate::kFailed);
  LossEvidence program = trial(4, 400, 1);
  program.losses[3] = std::numeric_limits<double>::infinity();
  EXPECT_EQ(judge_by_samples(program, {}, broken).gate, LossGate::kInconclusive);
}

// As many sound sizes are refused as is said, about one in a hundred.
TEST(LossBySamplesTest, SoundSizesAreRefusedRarely) {
  int refused = 0;
  constexpr int kRounds = 1000;
  for (int round = 0; round < kRounds; ++round) {
    const auto seed = static_cast<unsigned>(10 * round);
    // Seeds differ by a constant, as initial weights do.
    std::mt19937 random(seed);
    std::normal_distribution<double> off(0, 0.05);
    const std::vector<LossEvidence> seeds = {trial(4, 100, seed + 1, 400, off(random)),
                                             trial(4, 100, seed + 2, 400, off(random))};
    const auto program = trial(4, 100, seed + 3, 400, off(random));
    const auto candidate = trial(16, 60, seed + 4, 400, off(random));
    refused += judge_by_samples(program, seeds, candidate).gate == LossGate::kFailed ? 1 : 0;
  }
  EXPECT_LE(refused, 25);
}

}  // namespace
}  // namespace flatout::apply
