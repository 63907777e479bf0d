// The loss gate of a made-up program that can be driven: runs from one state, and trials where
// there are none.
#include <gtest/gtest.h>

#include <algorithm>

#include "apply/driven_tuning_fixture.h"
#include "apply/gate_of_runs.h"

namespace flatout::apply {
namespace {

struct Gated : DrivenTuning {
  Gated() {
    program.trials().fetch_draws = true;  // so that workers change what is drawn
    program.gain = 1.5;
  }
  auto trials_of_other_seeds() {
    return std::ranges::count_if(program.trials().specs,
                                 [](const TrialSpec& spec) { return spec.seed_shift != 0; });
  }
};

TEST(TunerGate, WhatHarmsIsRefusedWithoutATrial) {
  Gated tuning;
  tuning.program.harm = 0.5;
  const auto& report = tuning.go();
  ASSERT_FALSE(report.trials.empty());
  EXPECT_FALSE(report.trials[0].kept);
  EXPECT_EQ(report.trials[0].loss_gate, run::LossGate::kFailed);
  EXPECT_NE(report.trials[0].reason.find("loss"), std::string::npos) << report.trials[0].reason;
  EXPECT_EQ(tuning.trials_of_candidate(), 0);
  EXPECT_EQ(tuning.trials_of_other_seeds(), 0);
  EXPECT_GE(tuning.program.runs, 2 * kGatePairs);
}

TEST(TunerGate, WhatDoesNotIsKeptWithoutTrialsOfOtherSeeds) {
  Gated tuning;
  const auto& report = tuning.go();
  ASSERT_FALSE(report.trials.empty());
  EXPECT_TRUE(report.trials[0].kept) << report.trials[0].reason;
  EXPECT_EQ(report.trials[0].loss_gate, run::LossGate::kPassed);
  EXPECT_EQ(tuning.trials_of_other_seeds(), 0);
  EXPECT_TRUE(report.final && report.final->confirmed);
}

TEST(TunerGate, TrialsDecideWhereAnEpochBeginsInEachRun) {
  Gated tuning;
  tuning.program.broken_runs = true;
  const auto& report = tuning.go();
  ASSERT_FALSE(report.trials.empty());
  EXPECT_TRUE(report.trials[0].kept) << report.trials[0].reason;
  EXPECT_GT(tuning.program.runs, 0);
  EXPECT_GT(tuning.trials_of_other_seeds(), 0);
}

}  // namespace
}  // namespace flatout::apply
