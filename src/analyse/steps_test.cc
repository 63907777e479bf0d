#include <gtest/gtest.h>

#include "analyse/iterators.h"
#include "analyse/steps_fixture.h"
#include "analyse/timeline_builder.h"

namespace flatout::analyse {
namespace {

using run::Phase;

// Phases of a step in whole ms, in the order other, data_wait, h2d, forward, ...
std::vector<int> table(const Step& step) {
  std::vector<int> row;
  for (std::int64_t part : step.phases) row.push_back(static_cast<int>(part / 1'000'000));
  return row;
}

std::int64_t total(const StepCut& cut, IntervalKind kind) {
  std::int64_t sum = 0;
  for (const Interval& interval : cut.intervals) {
    if (interval.kind == kind) sum += interval.end_ns - interval.begin_ns;
  }
  return sum / 1'000'000;
}

TEST(Steps, PlainLoopWithStartupAndEpochEnd) {
  LaneScript lane(1000);
  lane.build(1, 50);
  for (int i = 0; i < 3; ++i) lane.draw(1, 5).train(10).idle(2);
  lane.exhaust(1, 7).idle(3);
  const StepCut cut = cut_steps(lane.events(), {.start_ns = 0});
  ASSERT_EQ(cut.steps.size(), 3U);
  for (const Step& step : cut.steps) {
    EXPECT_EQ(table(step), (std::vector{2, 5, 0, 3, 6, 1, 0, 0, 0}));
    EXPECT_EQ(step.samples, 32);
    EXPECT_EQ(step.draws, 1);
  }
  EXPECT_EQ(total(cut, IntervalKind::kStartup), 50);
  EXPECT_EQ(total(cut, IntervalKind::kEpochGap), 7);
  expect_sums(cut);
}

TEST(Steps, StartupCountsFromTheRunsStart) {
  LaneScript lane(1000);
  lane.draw(1, 5).train(10);
  EXPECT_EQ(total(cut_steps(lane.events(), {.start_ns = ns(400)}), IntervalKind::kStartup), 600);
}

TEST(Steps, EvaluationBetweenEpochsBelongsToNoStep) {
  LaneScript lane;
  for (std::uint32_t epoch = 0; epoch < 3; ++epoch) {
    const std::uint32_t train = 1 + 2 * epoch;
    lane.build(train, 20);
    for (int i = 0; i < 4; ++i) lane.draw(train, 5).train(10);
    lane.exhaust(train, 1).build(train + 1, 30);
    for (int i = 0; i < 2; ++i) lane.draw(train + 1, 5, 32, false).eval_forward(10);
    lane.exhaust(train + 1, 1, false).idle(4);
  }
  const StepCut cut = cut_steps(lane.events());
  EXPECT_EQ(cut.training_iterators, (std::set<std::uint32_t>{1, 3, 5}));
  EXPECT_EQ(cut.eval_iterators, (std::set<std::uint32_t>{2, 4, 6}));
  ASSERT_EQ(cut.steps.size(), 12U);
  for (const Step& step : cut.steps) EXPECT_EQ(step.own_ns, ns(15));
  // The last evaluation lies after the last step, up to the last event.
  EXPECT_EQ(total(cut, IntervalKind::kEval), 3 * (30 + 30 + 1) + 2 * 4);
  EXPECT_EQ(total(cut, IntervalKind::kEpochGap), 3 * 1 + 2 * 20);
  expect_sums(cut);
}

TEST(Steps, EvaluationWithoutNoGradIsStillEvaluation) {
  LaneScript lane;
  for (int i = 0; i < 4; ++i) {
    lane.draw(1, 5).train(10);
    for (int k = 0; k < 3; ++k) lane.draw(2, 5).eval_forward(10, run::kGradEnabled);
  }
  const StepCut cut = cut_steps(lane.events());
  EXPECT_EQ(cut.eval_iterators, (std::set<std::uint32_t>{2}));
  ASSERT_EQ(cut.steps.size(), 4U);
  for (const Step& step : cut.steps) EXPECT_EQ(step.own_ns, ns(15));
  EXPECT_EQ(total(cut, IntervalKind::kEval), 4 * 45);
}

TEST(Steps, EvaluationLeftByBreakDoesNotTurnIntoTraining) {
  LaneScript lane;
  for (int i = 0; i < 3; ++i) {
    lane.draw(1, 5).train(10);
    for (int k = 0; k < 3; ++k) lane.draw(2, 5).eval_forward(10);
    lane.draw(2, 5);  // enumerate() drew it before the break
  }
  const StepCut cut = cut_steps(lane.events());
  EXPECT_EQ(cut.training_iterators, (std::set<std::uint32_t>{1}));
  EXPECT_EQ(cut.eval_iterators, (std::set<std::uint32_t>{2}));
}

TEST(Steps, PrefetchingUnderNoGradIsTraining) {
  LaneScript lane;
  for (int i = 0; i < 4; ++i) lane.draw(1, 5, 32, false).train(10);
  EXPECT_EQ(cut_steps(lane.events()).steps.size(), 4U);
}

TEST(Steps, FrozenModelInEvalModeStillTrains) {
  LaneScript lane;
  for (int i = 0; i < 4; ++i) {
    lane.draw(1, 5).eval_forward(3, run::kGradEnabled);
    lane.span(Phase::kBackward, 6).span(Phase::kOptimizer, 1);
  }
  EXPECT_EQ(cut_steps(lane.events()).steps.size(), 4U);
}

TEST(Steps, SaveAfterEvaluationIsACheckpointOfTheStep) {
  LaneScript lane;
  for (int i = 0; i < 3; ++i) {
    lane.draw(1, 5).train(10);
    lane.draw(2, 5, 32, false).eval_forward(10).exhaust(2, 1, false);
    lane.span(Phase::kCheckpoint, 8);
  }
  lane.exhaust(1, 1);
  const StepCut cut = cut_steps(lane.events());
  ASSERT_EQ(cut.steps.size(), 3U);
  EXPECT_EQ(cut.steps[0].phase_ns(Phase::kCheckpoint), ns(8));
  EXPECT_EQ(total(cut, IntervalKind::kEval), 3 * 16);
}

TEST(Steps, SemiSupervisedLoadersAreBothTraining) {
  LaneScript lane;
  for (int i = 0; i < 5; ++i) lane.draw(1, 5, 8).draw(2, 3, 56).train(10);
  const StepCut cut = cut_steps(lane.events());
  EXPECT_EQ(cut.training_iterators, (std::set<std::uint32_t>{1, 2}));
  ASSERT_EQ(cut.steps.size(), 5U);
  for (const Step& step : cut.steps) {
    EXPECT_EQ(step.phase_ns(Phase::kDataWait), ns(8));
    EXPECT_EQ(step.samples, 64);
  }
}

TEST(Steps, AccumulationIsOneStepAnUpdate) {
  LaneScript lane;
  for (int i = 0; i < 3; ++i) {
    for (int micro = 0; micro < 4; ++micro) {
      lane.draw(1, 1, 8).forward(2).span(Phase::kBackward, 3);
    }
    lane.span(Phase::kOptimizer, 1);
  }
  const StepCut cut = cut_steps(lane.events());
  ASSERT_EQ(cut.steps.size(), 3U);
  for (const Step& step : cut.steps) {
    EXPECT_EQ(table(step), (std::vector{0, 4, 0, 8, 12, 1, 0, 0, 0}));
    EXPECT_EQ(step.samples, 32);
    EXPECT_EQ(step.draws, 4);
  }
}

TEST(Steps, TwoOptimizersBetweenTwoDrawsAreOneStep) {
  LaneScript lane;
  for (int i = 0; i < 3; ++i) lane.draw(1, 1).train(10).train(10);
  const StepCut cut = cut_steps(lane.events());
  ASSERT_EQ(cut.steps.size(), 3U);
  EXPECT_EQ(cut.steps[0].updates, 2);
}

TEST(Steps, GradScalerAroundOptimizerAndSkippedUpdate) {
  LaneScript lane;
  for (int i = 0; i < 3; ++i) {
    lane.draw(1, 1).forward(3).span(Phase::kBackward, 6).begin(Phase::kOptimizer).idle(1);
    if (i != 1) lane.span(Phase::kOptimizer, 2);
    lane.end(Phase::kOptimizer, i == 1 ? run::kSkipped : 0);
  }
  const StepCut cut = cut_steps(lane.events());
  ASSERT_EQ(cut.steps.size(), 3U);
  EXPECT_EQ(cut.steps[0].phase_ns(Phase::kOptimizer), ns(3));
  EXPECT_EQ(cut.steps[1].phase_ns(Phase::kOptimizer), ns(1));
}

TEST(Steps, AClosureInsideTheUpdateIsNotTheUpdate) {
  LaneScript lane;
  for (int i = 0; i < 3; ++i) {
    lane.draw(1, 5).begin(Phase::kOptimizer).idle(1).end(Phase::kOptimizer, run::kPaused);
    lane.idle(2).forward(4).idle(3).span(Phase::kBackward, 6).idle(1);
    lane.span(Phase::kOptimizer, 2);
  }
  const StepCut cut = cut_steps(lane.events(), {});
  ASSERT_EQ(cut.steps.size(), 3U);
  for (const Step& step : cut.steps) {
    EXPECT_EQ(table(step), (std::vector{6, 5, 0, 4, 6, 3, 0, 0, 0}));
    EXPECT_EQ(step.updates, 1);
  }
}

TEST(Steps, ALoaderDrawnOneBatchAheadClosesStepsAtItsDraws) {
  LaneScript lane;
  lane.build(1, 5).draw(1, 5);
  for (int i = 0; i < 3; ++i) lane.draw(1, 5).train(10);
  lane.exhaust(1, 2).train(10);
  const StepCut cut = cut_steps(lane.events(), {});
  ASSERT_EQ(cut.steps.size(), 4U);
  EXPECT_EQ(table(cut.steps[0]), (std::vector{0, 10, 0, 3, 6, 1, 0, 0, 0}));
  EXPECT_EQ(table(cut.steps[2]), (std::vector{0, 5, 0, 3, 6, 1, 0, 0, 0}));
  EXPECT_EQ(table(cut.steps[3]), (std::vector{0, 0, 0, 3, 6, 1, 0, 0, 0}));
  EXPECT_EQ(total(cut, IntervalKind::kEpochGap), 2);
  expect_sums(cut);
}

// As the loaders of accelerate and timm are drawn: the last step of an epoch draws nothing.
TEST(Steps, ABatchDrawnAheadCountsOnce) {
  for (const std::uint64_t seen_by_forward : {0U, 16U}) {
    const auto train = [&](LaneScript& lane) {
      lane.forward(3, seen_by_forward).span(Phase::kBackward, 6).span(Phase::kOptimizer, 1);
    };
    LaneScript lane;
    for (int epoch = 0; epoch < 2; ++epoch) {
      lane.build(1, 5).draw(1, 5, 16);
      for (int i = 0; i < 3; ++i) train(lane.draw(1, 5, 16));
      train(lane.exhaust(1, 2));
    }
    const StepCut cut = cut_steps(lane.events(), {});
    ASSERT_EQ(cut.steps.size(), 8U);
    for (const Step& step : cut.steps) EXPECT_EQ(step.samples, 16);
  }
}

TEST(Steps, WithoutLoaderTheForwardOpensAStep) {
  LaneScript lane;
  for (int i = 0; i < 4; ++i) {
    lane.idle(20).forward(3, 16).forward(1, 16).span(Phase::kBackward, 6);  // model, then loss
    lane.span(Phase::kOptimizer, 1);
  }
  lane.eval_forward(50);
  const StepCut cut = cut_steps(lane.events());
  ASSERT_EQ(cut.steps.size(), 4U);
  EXPECT_EQ(table(cut.steps[0]), (std::vector{20, 0, 0, 4, 6, 1, 0, 0, 0}));
  EXPECT_EQ(cut.steps[0].samples, 16);
}

TEST(Steps, EvaluationByHandNowAndThenBelongsToNoStep) {
  LaneScript lane(0);
  for (int i = 0; i < 12; ++i) {
    lane.idle(1).train(10);
    if (i % 5 == 4) {
      for (int batch = 0; batch < 3; ++batch) lane.idle(1).eval_forward(20);
      lane.span(Phase::kCheckpoint, 7);
    }
  }
  const StepCut cut = cut_steps(lane.events(), {});
  expect_sums(cut);
  ASSERT_EQ(cut.steps.size(), 12U);
  EXPECT_EQ(total(cut, IntervalKind::kEval), 2 * (3 * 20 + 2));
  EXPECT_EQ(table(cut.steps[3]), (std::vector{1, 0, 0, 3, 6, 1, 0, 0, 0}));
  EXPECT_EQ(table(cut.steps[4]), (std::vector{2, 0, 0, 3, 6, 1, 0, 0, 7}));
}

TEST(Steps, ATeacherOfEachStepIsPartOfTheStep) {
  LaneScript lane(0);
  for (int i = 0; i < 12; ++i) lane.eval_forward(20).train(10);
  const StepCut cut = cut_steps(lane.events(), {});
  expect_sums(cut);
  EXPECT_EQ(total(cut, IntervalKind::kEval), 0);
  EXPECT_EQ(table(cut.steps[3]), (std::vector{0, 0, 0, 23, 6, 1, 0, 0, 0}));
}

TEST(Steps, EvalLoaderBesideHandMadeTrainingBatches) {
  LaneScript lane;
  for (int i = 0; i < 4; ++i) {
    lane.train(10);
    lane.draw(9, 5).eval_forward(10, run::kGradEnabled).draw(9, 5).eval_forward(10);
  }
  const StepCut cut = cut_steps(lane.events());
  EXPECT_TRUE(cut.training_iterators.empty());
  ASSERT_EQ(cut.steps.size(), 4U);
  for (const Step& step : cut.steps) EXPECT_EQ(step.own_ns, ns(10));
}

TEST(Steps, WithoutModulesTheBackwardOpensAStep) {
  LaneScript lane;
  for (int i = 0; i < 4; ++i) lane.span(Phase::kBackward, 6).span(Phase::kOptimizer, 1).idle(3);
  EXPECT_EQ(cut_steps(lane.events()).steps.size(), 4U);
}

TEST(Steps, BatchSizeComesFromTheLoaderWhereDrawsDoNotSay) {
  LaneScript lane;
  for (int i = 0; i < 3; ++i) lane.draw(1, 1, 0).draw(1, 1, 0).train(10);
  const StepCut cut = cut_steps(lane.events(), {.loader_of = {{1, 7}}, .batch_size_of = {{7, 24}}});
  ASSERT_EQ(cut.steps.size(), 3U);
  EXPECT_EQ(cut.steps[0].samples, 48);
  EXPECT_FALSE(cut_steps(lane.events()).steps[0].samples.has_value());
}

TEST(Steps, UnfinishedWorkAtTheEndIsNoStep) {
  LaneScript lane;
  for (int i = 0; i < 3; ++i) lane.draw(1, 5).train(10);
  lane.draw(1, 5).forward(3).begin(Phase::kOptimizer).idle(5).span(Phase::kH2d, 1);  // killed here
  EXPECT_EQ(cut_steps(lane.events()).steps.size(), 3U);
}

TEST(Steps, LostEndsDoNotSwallowLaterSteps) {
  for (Phase lost : {Phase::kDataWait, Phase::kForward, Phase::kBackward, Phase::kOptimizer}) {
    LaneScript lane;
    for (int i = 0; i < 6; ++i) lane.draw(1, 5).train(10);
    std::vector<run::PhaseEvent> events = lane.events();
    const auto victim = std::find_if(events.begin() + 8, events.end(), [&](const auto& event) {
      return event.phase == lost && !event.begin;
    });
    events.erase(victim);
    const StepCut cut = cut_steps(events);
    ASSERT_GE(cut.steps.size(), 5U) << run::phase_name(lost);
    EXPECT_EQ(table(cut.steps.back()), (std::vector{0, 5, 0, 3, 6, 1, 0, 0, 0}))
        << run::phase_name(lost);
    expect_sums(cut);
  }
}

TEST(Steps, LostBeginOfAnUpdateStillClosesTheStep) {
  LaneScript lane;
  for (int i = 0; i < 3; ++i) {
    lane.draw(1, 5).forward(3).span(Phase::kBackward, 6).idle(1).end(Phase::kOptimizer);
  }
  EXPECT_EQ(cut_steps(lane.events()).steps.size(), 3U);
}

TEST(Steps, IteratorBuiltInsideADrawBelongsToTheDraw) {
  LaneScript lane;
  for (int i = 0; i < 3; ++i) {
    lane.begin(Phase::kDataWait, run::kGradEnabled, 1).idle(1).build(2, 4);
    lane.end(Phase::kDataWait, 0, 1, 32).train(10);
  }
  const StepCut cut = cut_steps(lane.events());
  ASSERT_EQ(cut.steps.size(), 3U);
  EXPECT_EQ(cut.steps[1].phase_ns(Phase::kDataWait), ns(5));
  EXPECT_EQ(total(cut, IntervalKind::kEpochGap), 0);
}

TEST(Steps, NothingInNothingOut) {
  EXPECT_TRUE(cut_steps({}).steps.empty());
  const run::PhaseEvent strange{.t_ns = 5, .phase = static_cast<Phase>(77), .begin = true};
  EXPECT_TRUE(cut_steps({&strange, 1}).steps.empty());
}

}  // namespace
}  // namespace flatout::analyse
