// Where the whole run went, the findings about it, and how much of it a verdict rests on.
#include "analyse/account.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "analyse/analyse.h"
#include "analyse/finding_fixture.h"
#include "analyse/loop_fixture.h"

namespace flatout::analyse {
namespace {

using run::Metric;
using run::Severity;
using ::testing::AllOf;
using ::testing::Contains;
using ::testing::HasSubstr;
using ::testing::Not;

// NOLINTBEGIN(bugprone-unchecked-optional-access)

struct Evals {
  int epochs = 4;
  double draw = 1, forward = 9;  // ms a batch, 20 batches each
  std::uint32_t flags = 0;       // of the forwards
  double start_ms = 500;
};

// Epochs of 20 steps of 10 ms, an evaluation after each.
TimelineBuilder with_evaluations(const Evals& evals) {
  TimelineBuilder run;
  run.loader(0, 1).iterator(1, 0, 1);
  run.fact(TimelineBuilder::kPid, run::facts::kLoader,
           R"({"loader":2,"workers":0,"batch_size":16,"built_at":"/src/train.py:60"})");
  run.iterator(2, 0, 2);
  LaneScript lane(evals.start_ms);
  for (int epoch = 0; epoch < evals.epochs; ++epoch) {
    for (int i = 0; i < 20; ++i) lane.draw(1, 0.2).train(9.8);
    for (int i = 0; i < 20; ++i)
      lane.draw(2, evals.draw, 16, false).eval_forward(evals.forward, evals.flags);
  }
  lane.draw(1, 0.2).train(9.8).idle(100);
  run.lane(lane);
  run.timeline().last_ns = lane.now_ns();
  run.timeline().state = run::RunState::kFinished;
  return run;
}

double sum(const run::RunAccount& a) {
  return a.startup_s + a.warm_up_s + a.steps_s + a.eval_s + a.checkpoint_s + a.epoch_gap_s +
         a.end_s;
}

TEST(Account, OfALoopWithEverythingSumsToTheRun) {
  const run::Report report =
      analyse(run_of({.steps = 40, .wait = 5, .compute = 10, .save = 2, .epoch = 20, .gap = 100})
                  .timeline());
  ASSERT_TRUE(report.account);
  const run::RunAccount& account = *report.account;
  EXPECT_NEAR(sum(account), account.total_s, 1e-9);
  EXPECT_NEAR(account.startup_s, 0.45, 1e-9);
  EXPECT_NEAR(account.warm_up_s, 10 * 0.015, 1e-9);
  EXPECT_NEAR(account.steps_s, 30 * 0.015, 1e-9);
  EXPECT_NEAR(account.checkpoint_s, 40 * 0.002, 1e-9);
  EXPECT_NEAR(account.epoch_gap_s, 0.1001, 1e-9);
  EXPECT_NEAR(*report.verdict.rests_on_share, 30 * 0.017 / account.total_s, 1e-9);
}

TEST(Account, WhatFollowsTheLastStepIsTheEnd) {
  TimelineBuilder run = run_of({.steps = 40, .wait = 5});
  run.timeline().end = run::RunEnd{
      .t_ns = run.timeline().last_ns + ns(2000), .exit_code = 0, .signal = 0, .survivors = {}};
  EXPECT_NEAR(analyse(run.timeline()).account->end_s, 2, 0.01);
  EXPECT_NEAR(sum(*analyse(run.timeline()).account), analyse(run.timeline()).account->total_s,
              1e-9);
}

TEST(EvalShare, IsTheVerdictWhereEvaluationTakesMostOfTheRun) {
  const run::Report report = analyse(with_evaluations({.draw = 3, .forward = 12}).timeline());
  EXPECT_EQ(report.verdict.finding, "eval_share");
  const run::Finding* finding = finding_of(report, "eval_share");
  ASSERT_NE(finding, nullptr);
  EXPECT_EQ(finding->severity, Severity::kCritical);
  EXPECT_NEAR(finding->share, 0.6, 0.01);
  EXPECT_THAT(
      finding->summary,
      AllOf(HasSubstr("evaluation takes 60 % of the run's time after start-up: 4 times 300 ms"),
            Not(HasSubstr("waiting")), Not(HasSubstr("gradients"))));
  EXPECT_EQ(finding->at, "/src/train.py:60");
  EXPECT_THAT(finding->evidence,
              Contains(testing::Field(&run::Evidence::metric, "eval.loader.workers")));
}

TEST(EvalShare, SaysWhatItsTimeGoesTo) {
  const run::Report waits = analyse(with_evaluations({.draw = 12, .forward = 3}).timeline());
  EXPECT_THAT(finding_of(waits, "eval_share")->summary, HasSubstr("80 % of it waiting for data"));
  const run::Report gradients =
      analyse(with_evaluations({.draw = 3, .forward = 12, .flags = run::kGradEnabled}).timeline());
  ASSERT_NE(finding_of(gradients, "eval_share"), nullptr);
  EXPECT_THAT(finding_of(gradients, "eval_share")->summary, HasSubstr("with gradients recorded"));
}

TEST(EvalShare, ThresholdsOnBothSides) {
  // 20 steps of 10 ms: an evaluation of 45 ms is 18 %, one of 55 ms 22 %.
  EXPECT_EQ(
      finding_of(analyse(with_evaluations({.draw = 0.25, .forward = 2}).timeline()), "eval_share"),
      nullptr);
  EXPECT_EQ(
      finding_of(analyse(with_evaluations({.draw = 0.25, .forward = 2.5}).timeline()), "eval_share")
          ->severity,
      Severity::kWarn);
  EXPECT_EQ(
      finding_of(analyse(with_evaluations({.epochs = 1, .forward = 40}).timeline()), "eval_share")
          ->severity,
      Severity::kInfo)
      << "once";
}

TEST(EvalShare, TwoEvaluationsAreAWarningFromFortyPercentOn) {
  const auto severity = [](double forward) {
    const Evals twice = {.epochs = 2, .draw = 1, .forward = forward};
    return finding_of(analyse(with_evaluations(twice).timeline()), "eval_share")->severity;
  };
  EXPECT_EQ(severity(4), Severity::kInfo) << "a third";
  EXPECT_EQ(severity(14), Severity::kWarn) << "60 %";
}

// 50 steps beside others' work, then 75 without.
run::Timeline loaded_at_first(double others_cores) {
  TimelineBuilder run;
  LaneScript lane(500);
  for (int i = 0; i < 50; ++i) lane.draw(1, 1).train(700);
  const std::int64_t change = lane.now_ns();
  for (int i = 0; i < 75; ++i) lane.draw(1, 1).train(80);
  run.lane(lane);
  run.series(Metric::kProcessCpuCoresUsed, TimelineBuilder::kPid, 1);
  run.series(Metric::kHostCpuCoresUsed, run::kHostSource, 1);
  for (run::Point& point :
       run.timeline().series[{Metric::kHostCpuCoresUsed, run::kHostSource}].own()) {
    if (point.t_ns <= change) point.value += others_cores;
  }
  return run.timeline();
}

TEST(WarmUp, OutsideLoadIsNone) {
  const run::Report quiet = analyse(loaded_at_first(0));
  EXPECT_EQ(quiet.steps->steady_count, 75);
  EXPECT_THAT(quiet.notes, Contains(HasSubstr("the verdict rests on 6.1 s of 41.5 s: 50 of 125 "
                                              "steps count as warm-up")));
  const run::Report loaded = analyse(loaded_at_first(2));
  EXPECT_EQ(loaded.steps->steady_count, 115);
  EXPECT_GT(*loaded.verdict.rests_on_share, 0.8);
  EXPECT_THAT(loaded.notes, Not(Contains(HasSubstr("count as warm-up"))));
}

// NOLINTEND(bugprone-unchecked-optional-access)

}  // namespace
}  // namespace flatout::analyse
