// The plan that a tune prints, and the settings that it leaves for the next one.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "apply/driven_tuning_fixture.h"

namespace flatout::apply {
namespace {

using testing::HasSubstr;

MadeUpProgram fast_with_workers(base::FakeClock& clock) {
  MadeUpProgram program(clock, [](int workers, int) {
    return Behaviour{.samples_per_s = workers > 0 ? 200.0 : 100.0};
  });
  program.advise = [](int workers, int) {
    return workers > 0 ? MadeUpProgram::Advice{}
                       : MadeUpProgram::Advice{workers_advice(workers, 4, 2)};
  };
  return program;
}

// Some budgets hold the blocks that show the gain, and not the trial that has it from the start.
TEST(TunerPlan, AGainThatIsProvedAsTheBudgetEndsIsCarriedMarked) {
  int carried = 0;
  for (int budget_s = 10; budget_s < 120; ++budget_s) {
    DrivenTuning tuning;
    tuning.program.gain = 1.5;
    tuning.options.budget_ns = budget_s * base::kSecond;
    const auto& report = tuning.go();
    const bool open = !report.trials.empty() && report.trials[0].unproved;
    EXPECT_EQ(open, !report.plan.unproved.empty());
    if (!open) continue;
    ++carried;
    const run::TuneTrial& row = report.trials[0];
    EXPECT_FALSE(row.kept);
    ASSERT_TRUE(row.speedup);
    EXPECT_GT(row.speedup->lo, 1);
    EXPECT_GT(row.block_pairs, 0);
    EXPECT_TRUE(row.proof_s);
    // Some of these budgets hold the gate's runs, and some do not.
    const bool judged = row.loss_gate == run::LossGate::kPassed;
    EXPECT_EQ(row.loss_gate == run::LossGate::kInconclusive, !judged);
    EXPECT_THAT(row.reason, HasSubstr(judged ? "faster for sure, not yet tried from the start"
                                             : "the same training not yet proved"));
    EXPECT_THAT(row.reason, HasSubstr(" s more would do"));
    EXPECT_TRUE(report.plan.entries.empty());
    EXPECT_EQ(report.plan.unproved[0].setting.value, "4");
    EXPECT_TRUE(run::more_time_helps(report));
    EXPECT_LT(report.seconds, budget_s + 5);
  }
  EXPECT_GT(carried, 0);
}

TEST(TunerPlan, WhatTheBudgetHoldsIsCountedInTheOrderOfTheTrials) {
  for (const int budget_s : {60, 5000}) {
    Tuning tuning;
    tuning.options.budget_ns = budget_s * base::kSecond;
    MadeUpProgram program = fast_with_workers(tuning.clock);
    (void)tuning.of(program);
    ASSERT_EQ(tuning.listener.plans.size(), 1U);
    const TunePlan& plan = tuning.listener.plans[0];
    ASSERT_FALSE(plan.changes.empty());
    EXPECT_EQ(plan.changes[0].what, "num_workers 0 -> 4");
    ASSERT_TRUE(plan.changes[0].predicted);
    EXPECT_EQ(plan.changes[0].fits, budget_s > 1000);
    EXPECT_GT(plan.likely_ns, plan.trial_ns);
  }
}

// A trial of 64 s; ten minutes of training save five by a factor of 2, and no trial by 2 %.
TEST(TunerPlan, TheSearchEndsWhereATrialTakesMoreThanItSaves) {
  for (const int training_s : {60, 1000, 0}) {
    Tuning tuning;
    if (training_s > 0) tuning.options.training_ns = training_s * base::kSecond;
    MadeUpProgram program = fast_with_workers(tuning.clock);
    const auto report = tuning.of(program);
    EXPECT_EQ(report.trials.empty(), training_s == 60);
    const bool said = std::ranges::any_of(report.skipped, [](const run::TuneTrial& row) {
      return row.knob == "dataloader.num_workers" && row.reason.contains("--for");
    });
    EXPECT_EQ(said, training_s == 60);
  }
}

TEST(TunerPlan, KnobsThatTheUserNamesAreTriedHoweverShortTheTraining) {
  Tuning tuning;
  tuning.options.training_ns = base::kSecond;
  tuning.options.knobs = {"num_workers"};
  MadeUpProgram program = fast_with_workers(tuning.clock);
  EXPECT_FALSE(tuning.of(program).trials.empty());
}

}  // namespace
}  // namespace flatout::apply
