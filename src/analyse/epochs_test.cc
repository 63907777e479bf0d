#include "analyse/epochs.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "analyse/timeline_builder.h"

namespace flatout::analyse {
namespace {

using testing::ElementsAre;

// Three epochs of four steps; `ids`: of their iterators.
LaneScript three_epochs(const std::vector<std::uint32_t>& ids, double eval_ms = 0) {
  LaneScript lane;
  for (const std::uint32_t id : ids) {
    lane.build(id, 30);
    for (int i = 0; i < 4; ++i) lane.draw(id, i == 0 ? 20 : 2).train(10);
    lane.exhaust(id, 7);
    if (eval_ms > 0) lane.draw(100 + id, eval_ms, 32, false).eval_forward(1).exhaust(100 + id, 0);
  }
  return lane;
}

Epochs epochs_in(const LaneScript& lane) {
  const StepCut cut = cut_steps(lane.events());
  return find_epochs(cut, cut.training_iterators);
}

TEST(Epochs, BeginWithTheFirstBatchOfEachIterator) {
  const Epochs epochs = epochs_in(three_epochs({1, 2, 3}));
  EXPECT_THAT(epochs.begins, ElementsAre(0, 4, 8));
  EXPECT_EQ(epochs.first_build_ns, ns(30));
  EXPECT_TRUE(epochs.last_step_whole) << "the draw that ended the epoch ended it";
  EXPECT_EQ(epochs.steps(12), 4);
  ASSERT_EQ(epochs.between.size(), 12U);
  EXPECT_EQ(epochs.between[4].epoch_gap_ns, ns(37)) << "the end of one, the build of the next";
  EXPECT_EQ(epochs.between[5].epoch_gap_ns, 0);
}

// Loaders whose workers persist give the same iterator for each epoch.
TEST(Epochs, BeginAgainWithTheSameIterator) {
  EXPECT_THAT(epochs_in(three_epochs({1, 1, 1})).begins, ElementsAre(0, 4, 8));
}

TEST(Epochs, EvaluationBetweenThemIsKnownApart) {
  const Epochs epochs = epochs_in(three_epochs({1, 2, 3}, 50));
  EXPECT_THAT(epochs.begins, ElementsAre(0, 4, 8));
  EXPECT_EQ(epochs.between[4].eval_ns, ns(51));
  EXPECT_EQ(epochs.between[4].epoch_gap_ns, ns(37));
}

// `next(iter(loader))` in each step.
TEST(Epochs, OfOneStepEach) {
  LaneScript lane;
  for (std::uint32_t id = 1; id <= 6; ++id) lane.build(id, 30).draw(id, 20).train(10);
  const Epochs epochs = epochs_in(lane);
  EXPECT_THAT(epochs.begins, ElementsAre(0, 1, 2, 3, 4, 5));
  EXPECT_EQ(epochs.steps(6), 1);
  EXPECT_FALSE(epochs.last_step_whole);
}

TEST(Epochs, OneThatDoesNotEndHasNoLength) {
  LaneScript lane;
  lane.build(1, 30);
  for (int i = 0; i < 9; ++i) lane.draw(1, 2).train(10);
  const Epochs epochs = epochs_in(lane);
  EXPECT_THAT(epochs.begins, ElementsAre(0));
  EXPECT_FALSE(epochs.steps(9));
  EXPECT_FALSE(find_epochs({}, {}).steps(0));
}

}  // namespace
}  // namespace flatout::analyse
