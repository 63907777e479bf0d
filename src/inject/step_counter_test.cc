#include "inject/step_counter.h"

#include <gtest/gtest.h>

#include <string_view>

namespace flatout::inject {
namespace {

// One letter an event: a b c = next() of loader 1 2 3, F = training forward with gradients,
// f = forward without gradients, e = forward with gradients in eval mode, B = backward,
// | = marked end of a step, U = update, x y = next() of loader 1 2 under no_grad.
StepCounter counted(std::string_view events, bool built_an_optimizer = true) {
  StepCounter counter;
  if (built_an_optimizer) counter.optimizer_built();
  for (const char event : events) {
    if (event >= 'a' && event <= 'c')
      counter.draw(static_cast<std::uint32_t>(event - 'a' + 1), true);
    if (event == 'x' || event == 'y')
      counter.draw(static_cast<std::uint32_t>(event - 'x' + 1), false);
    if (event == '|') counter.mark();
    if (event == 'F') counter.forward(true, true);
    if (event == 'f') counter.forward(false, false);
    if (event == 'e') counter.forward(true, false);
    if (event == 'B') counter.backward();
    if (event == 'U') counter.update();
  }
  return counter;
}

std::uint64_t steps_in(std::string_view events, bool built_an_optimizer = true) {
  return counted(events, built_an_optimizer).closed();
}

TEST(StepCounter, PlainLoopClosesAtTheNextDraw) {
  EXPECT_EQ(steps_in("aFBU"), 0U);
  EXPECT_EQ(steps_in("aFBUa"), 1U);
  EXPECT_EQ(steps_in("aFBUaFBUa"), 2U);
}

TEST(StepCounter, AccumulatedMicroBatchesBelongToTheirUpdate) {
  EXPECT_EQ(steps_in("aFBaFBaFBUa"), 1U);
}

TEST(StepCounter, WithoutAnOptimizerABackwardIsTheUpdate) {
  EXPECT_EQ(steps_in("aFBaFBaFBa", false), 3U);
  EXPECT_EQ(steps_in("FBFBF", false), 2U) << "no loader either";
  EXPECT_EQ(steps_in("aFBaFBaFBa"), 0U) << "the optimizer will be stepped";
  EXPECT_EQ(steps_in("aFBUaFBaFBUa", false), 2U) << "an update of an optimizer of its own kind";
}

TEST(StepCounter, SeveralOptimizersBetweenTwoDrawsAreOneStep) {
  EXPECT_EQ(steps_in("aFBUFBUa"), 1U);
}

TEST(StepCounter, EvaluationClosesNothing) {
  EXPECT_EQ(steps_in("aFBUyfyfyf"), 0U);
  EXPECT_EQ(steps_in("aFBUyfyfa"), 1U);
  EXPECT_EQ(steps_in("aFBUbebeaFBUa"), 2U) << "eval() without no_grad";
}

TEST(StepCounter, EvaluationBeforeTrainingIsNotTraining) {
  EXPECT_EQ(steps_in("yfyfaFBUyfyfaFBUa"), 2U);
}

TEST(StepCounter, TwoLoadersDrawnForOneUpdateAreBothTraining) {
  EXPECT_EQ(steps_in("abFBUabFBUab"), 2U);
}

TEST(StepCounter, WithoutALoaderTheNextForwardCloses) {
  EXPECT_EQ(steps_in("FBUFBUF"), 2U);
  EXPECT_EQ(steps_in("FFBUFFBUF"), 2U) << "the loss module's forward comes before the update";
}

TEST(StepCounter, MarksCloseAndThenNothingElseDoes) {
  EXPECT_EQ(steps_in("|||"), 3U);
  EXPECT_EQ(steps_in("aFBU|aFBU|aFBU"), 2U);
  EXPECT_EQ(steps_in("aFBUaFBU|a"), 2U) << "one that closed before the first mark counts";
}

TEST(StepCounter, FrozenEvalModeFineTuningIsTrainingBecauseItUpdates) {
  EXPECT_EQ(steps_in("aeBUaeBUa"), 2U);
}

TEST(StepCounter, ALoaderFedTrainingWhenAnUpdateFollowedItsDraw) {
  struct Case {
    std::string_view events;
    bool first, second;  // loaders 1 and 2
  };
  const Case cases[] = {
      {"", false, false},
      {"ab", false, false},
      {"aFB", true, false},
      {"aU", true, false},
      // 2 is drawn under gradients, but only evaluated.
      {"aFBUbfbf", true, false},
      // A teacher's forward comes first.
      {"afFBU", true, false},
      // The last draw counts.
      {"abFBU", false, true},
      {"xFBU", true, false},
  };
  for (const Case& c : cases) {
    const StepCounter counter = counted(c.events);
    EXPECT_EQ(counter.fed_training(1), c.first) << c.events;
    EXPECT_EQ(counter.fed_training(2), c.second) << c.events;
    EXPECT_EQ(counter.training_seen(), c.events.find_first_of("BU") != std::string_view::npos);
  }
}

}  // namespace
}  // namespace flatout::inject
