// Tunes of a made-up program that can be driven: comparisons inside one process, and trials of what
// they keep.
#include <gtest/gtest.h>

#include <algorithm>

#include "apply/driven_tuning_fixture.h"

namespace flatout::apply {
namespace {

TEST(TunerBlocks, WhatGainsNothingCostsNoTrial) {
  DrivenTuning tuning;
  tuning.program.gain = 0.9;
  const auto& report = tuning.go();
  ASSERT_EQ(report.trials.size(), 1U);
  EXPECT_FALSE(report.trials[0].kept);
  EXPECT_EQ(report.trials[0].reason, "gains less than 1 %");
  EXPECT_GE(report.trials[0].block_pairs, 4);
  EXPECT_EQ(report.trials[0].runs, std::vector<std::string>{"driven"});
  EXPECT_EQ(tuning.trials_of_candidate(), 0);
  EXPECT_EQ(tuning.program.starts, 0) << "the first look's program goes on";
  EXPECT_EQ(tuning.program.looks.size(), 1U);
  EXPECT_EQ(tuning.program.trials().specs.size(), 1U);
}

TEST(TunerBlocks, WhatIsKeptGoesOnFromItsOwnTrial) {
  DrivenTuning tuning;
  tuning.program.gain = 1.5;
  const auto& report = tuning.go();
  ASSERT_FALSE(report.trials.empty());
  EXPECT_TRUE(report.trials[0].kept) << report.trials[0].reason;
  EXPECT_TRUE(report.final && report.final->confirmed);
  EXPECT_EQ(tuning.program.starts, 0);
  EXPECT_EQ(tuning.program.looks.size(), 2U) << "the program as it is, and under what was kept";
}

// The trials of an earlier tune are asked for in its order, or none of the later ones can be taken
// over.
TEST(TunerBlocks, ResumedItAsksForTheSameTrials) {
  DrivenTuning first;
  DrivenTuning resumed;
  resumed.program.drove_on = true;
  for (DrivenTuning* tuning : {&first, &resumed}) {
    tuning->program.gain = 1.5;
    ASSERT_TRUE(tuning->go().final);
  }
  EXPECT_GE(resumed.program.starts, 1);
  const auto& once = first.program.trials().specs;
  const auto& again = resumed.program.trials().specs;
  ASSERT_EQ(once.size(), again.size());
  for (std::size_t i = 0; i < once.size(); ++i) {
    EXPECT_EQ(once[i].knobs, again[i].knobs);
    EXPECT_EQ(once[i].steps, again[i].steps);
  }
}

TEST(TunerBlocks, WhereTheLookDoesNotGoOnOneIsStarted) {
  DrivenTuning tuning;
  tuning.program.gain = 1.5;
  tuning.program.goes_on = false;
  const auto& report = tuning.go();
  ASSERT_FALSE(report.trials.empty());
  EXPECT_TRUE(report.trials[0].kept) << report.trials[0].reason;
  EXPECT_GE(tuning.program.starts, 1);
  EXPECT_GE(report.baseline.runs.size(), 1U);
}

// A look at cold files is slower than all that follows: it is no gain of a setting.
TEST(TunerBlocks, AColdLookIsNoGainAndIsNamed) {
  DrivenTuning tuning;
  tuning.program.gain = 1.0;
  tuning.program.cold = 2;
  const auto& report = tuning.go();
  ASSERT_FALSE(report.trials.empty());
  EXPECT_FALSE(report.trials[0].kept);
  ASSERT_TRUE(report.baseline.samples_per_s);
  EXPECT_NEAR(*report.baseline.samples_per_s, tuning.program.usual, 0.1 * tuning.program.usual);
  EXPECT_TRUE(std::ranges::any_of(report.notes, [](const std::string& note) {
    return note.contains("may have met cold caches");
  }));
}

// Trials are held against trials of the program as it is, which the look is none of.
TEST(TunerBlocks, TrialsAfterBlocksHaveABaselineOfTheirOwn) {
  DrivenTuning tuning;
  tuning.program.gain = 1.5;
  tuning.program.cold = 2;
  tuning.program.outcome = BlockOutcome::kNotSwitched;
  tuning.program.odd_block = 1;
  const auto& report = tuning.go();
  ASSERT_FALSE(report.trials.empty());
  EXPECT_TRUE(report.trials[0].kept) << report.trials[0].reason;
  ASSERT_TRUE(report.trials[0].speedup);
  EXPECT_NEAR(report.trials[0].speedup->ratio, 1.5, 0.1);
  EXPECT_EQ(std::ranges::count(report.baseline.runs, "run1"), 0) << "the look";
}

TEST(TunerBlocks, WhatIsKeptHasOneTrialOfItsOwn) {
  DrivenTuning tuning;
  tuning.program.gain = 1.5;
  const auto& report = tuning.go();
  ASSERT_FALSE(report.trials.empty());
  const auto& row = report.trials[0];
  EXPECT_TRUE(row.kept) << row.reason;
  ASSERT_TRUE(row.speedup);
  EXPECT_NEAR(row.speedup->ratio, 1.5, 0.1);
  EXPECT_LT(row.speedup->lo, 1.5);
  EXPECT_GT(row.speedup->hi, 1.5);
  EXPECT_EQ(row.runs.size(), 2U);
  EXPECT_TRUE(row.samples_per_s);
  EXPECT_EQ(tuning.trials_of_candidate(), 1);
  ASSERT_TRUE(report.final);
  EXPECT_TRUE(report.final->confirmed);
  EXPECT_GE(report.final->block_pairs, 4);
  ASSERT_TRUE(report.final->speedup);
  EXPECT_NEAR(report.final->speedup->ratio, 1.5, 0.1);
  EXPECT_TRUE(std::ranges::none_of(tuning.program.trials().specs, &TrialSpec::final));
}

TEST(TunerBlocks, BlocksThatShowNoGainLeaveTheLastWordToTrials) {
  DrivenTuning tuning;
  tuning.program.gain = 1.5;
  tuning.program.no_gain_after = 9;  // the first one, and four pairs
  const auto& report = tuning.go();
  ASSERT_TRUE(report.final);
  EXPECT_EQ(report.final->block_pairs, 0);
  EXPECT_TRUE(std::ranges::any_of(tuning.program.trials().specs, &TrialSpec::final));
}

TEST(TunerBlocks, WithoutADriverItGoesAsBefore) {
  DrivenTuning tuning;
  tuning.program.gain = 1.5;
  tuning.program.can_be_driven = false;
  const auto& report = tuning.go();
  ASSERT_FALSE(report.trials.empty());
  EXPECT_TRUE(report.trials[0].kept);
  EXPECT_EQ(report.trials[0].block_pairs, 0);
}

TEST(TunerBlocks, TrialsThatContradictBlocksAreBelieved) {
  DrivenTuning tuning;
  tuning.program.gain = 0.7;
  tuning.program.block_gain = 1.5;
  const auto& report = tuning.go();
  ASSERT_FALSE(report.trials.empty());
  EXPECT_FALSE(report.trials[0].kept);
  EXPECT_EQ(report.trials[0].block_pairs, 0) << "it was compared by trials";
}

TEST(TunerBlocks, LoadersOfShortEpochsAreComparedByTrials) {
  DrivenTuning tuning;
  tuning.program.gain = 1.5;
  tuning.program.epoch_steps = 40;  // of 0.32 s
  const auto& report = tuning.go();
  ASSERT_FALSE(report.trials.empty());
  EXPECT_EQ(report.trials[0].block_pairs, 0);
  EXPECT_EQ(tuning.program.starts, 0);
}

TEST(TunerBlocks, WhatIsNotTakenLiveGetsItsTrial) {
  DrivenTuning tuning;
  tuning.program.gain = 1.5;
  tuning.program.takes_it = false;
  const auto& report = tuning.go();
  ASSERT_FALSE(report.trials.empty());
  EXPECT_TRUE(report.trials[0].kept) << report.trials[0].reason;
  EXPECT_EQ(report.trials[0].block_pairs, 0);
}

TEST(TunerBlocks, AProgramThatEndsInABlockIsComparedByTrials) {
  for (const BlockOutcome outcome : {BlockOutcome::kProgramEnded, BlockOutcome::kTimeout,
                                     BlockOutcome::kDisturbed, BlockOutcome::kNotSwitched}) {
    for (const int block : {1, 4}) {
      DrivenTuning tuning;
      tuning.program.gain = 1.5;
      tuning.program.outcome = outcome;
      tuning.program.odd_block = block;
      const auto& report = tuning.go();
      ASSERT_FALSE(report.trials.empty());
      EXPECT_TRUE(report.trials[0].kept) << report.trials[0].reason;
    }
  }
}

// An early look decides before the interval that is reported shows it.
TEST(TunerBlocks, TheLastComparisonShowsWhatItDecided) {
  for (unsigned seed = 1; seed <= 40; ++seed) {
    DrivenTuning tuning;
    tuning.program.seed(seed);
    tuning.program.gain = 1.7;
    tuning.program.block_noise = 0.25;
    const auto& report = tuning.go();
    if (!report.final || report.final->block_pairs == 0) continue;
    ASSERT_TRUE(report.final->speedup);
    EXPECT_GT(report.final->speedup->lo, 1) << seed;
    EXPECT_TRUE(report.final->confirmed) << seed;
  }
}

TEST(TunerBlocks, AnInterruptEndsItAndLeavesNothingRunning) {
  DrivenTuning tuning;
  tuning.program.gain = 1.5;
  tuning.program.outcome = BlockOutcome::kInterrupted;
  tuning.program.odd_block = 3;
  const auto& report = tuning.go();
  EXPECT_TRUE(report.interrupted);
  EXPECT_TRUE(report.plan.entries.empty());
}

TEST(TunerBlocks, ABudgetHolds) {
  DrivenTuning tuning;
  tuning.program.gain = 1.005;
  tuning.program.block_noise = 0.2;
  tuning.options.budget_ns = 150 * base::kSecond;
  const auto& report = tuning.go();
  EXPECT_LT(report.seconds, 175);
}

TEST(TunerBlocks, ABudgetThatEndsInTheLastComparisonKeepsWhatWasProved) {
  DrivenTuning tuning;
  tuning.program.gain = 1.5;
  tuning.options.budget_ns = 170 * base::kSecond;
  tuning.program.slower_after = 9;  // the first one, and four pairs
  const auto& report = tuning.go();
  ASSERT_TRUE(report.final);
  EXPECT_FALSE(report.plan.entries.empty()) << "it stands by its own comparison";
  EXPECT_LT(report.seconds, 220);
}

TEST(TunerBlocks, WhatGainsALittleIsSettledSooner) {
  DrivenTuning driven;
  DrivenTuning plain;
  for (DrivenTuning* tuning : {&driven, &plain}) {
    tuning->program.usual = 2000;
    tuning->program.gain = 1.1;
  }
  plain.program.can_be_driven = false;
  EXPECT_LT(driven.go().seconds * 1.5, plain.go().seconds);
  EXPECT_TRUE(driven.report.final && driven.report.final->confirmed);
}

}  // namespace
}  // namespace flatout::apply
