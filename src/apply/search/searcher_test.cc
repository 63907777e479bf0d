#include "apply/search/searcher.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "apply/search/made_up_trials_fixture.h"

namespace flatout::apply {
namespace {

using Behaviour = SearchBehaviour;
using MadeUpProgram = MadeUpTrials;

SearchSpace space_with(const std::string& search) {
  auto parsed = parse_space("[search]\nsteps = [20, 60, 180]\n" + search +
                                "[arguments]\nx = {from = 1, to = 100, step = 1}\n",
                            "s");
  EXPECT_TRUE(parsed) << (parsed ? "" : parsed.error().message);
  return *parsed;
}

int x_of(const SearchPoint& point) { return point.empty() ? 1 : std::stoi(point[0].value); }

Behaviour faster_with_x(const SearchPoint& point, std::int64_t) {
  return {.samples_per_s = 100.0 + x_of(point)};
}

TEST(Searcher, FindsTheBestOfItsPointsAndConfirmsItInTurns) {
  base::FakeClock clock;
  MadeUpProgram program(clock, 1, faster_with_x);
  Silent silent;
  const auto searched = space_with("trials = 27\nseed = 3\n");
  const auto found = search(program, searched, clock, silent);
  ASSERT_TRUE(found) << found.error().message;
  ASSERT_EQ(found->points.size(), 27U);
  int most = 0;
  for (const auto& point : found->points) most = std::max(most, std::stoi(point.settings[0].value));
  const auto* best = run::best_point(*found);
  ASSERT_NE(best, nullptr);
  EXPECT_EQ(std::stoi(best->settings[0].value), most);
  EXPECT_EQ(run::last_value(*best)->steps, 180);
  ASSERT_TRUE(found->final);
  EXPECT_EQ(found->final->number, best->number);
  EXPECT_TRUE(found->final->confirmed);
  EXPECT_NEAR(found->final->speedup->ratio, (100.0 + most) / 101, 0.01);
  EXPECT_EQ(found->final->values.size(), 3U);
  const std::string again = "#" + std::to_string(best->number) + " again";
  const std::vector<std::string> last(program.names.end() - 6, program.names.end());
  EXPECT_THAT(last,
              ::testing::ElementsAre("as it is", again, again, "as it is", "as it is", again));
  EXPECT_EQ(found->id, "run1");
  EXPECT_EQ(program.names[0], "as it is");
  EXPECT_EQ(program.names[1], "#1 x=" + found->points[0].settings[0].value);
  EXPECT_EQ(program.most_at_once, 1U);
}

TEST(Searcher, UsesAllSlotsAndStillFindsIt) {
  base::FakeClock clock;
  MadeUpProgram program(clock, 4, faster_with_x);
  Silent silent;
  const auto searched = space_with("trials = 40\n");
  const auto found = search(program, searched, clock, silent);
  ASSERT_TRUE(found);
  EXPECT_EQ(program.most_at_once, 4U);
  int most = 0;
  for (const auto& point : found->points) most = std::max(most, std::stoi(point.settings[0].value));
  EXPECT_EQ(std::stoi(run::best_point(*found)->settings[0].value), most);
}

TEST(Searcher, WhatFailsIsDataAndNeverGoesOn) {
  base::FakeClock clock;
  MadeUpProgram program(clock, 2, [](const SearchPoint& point, std::int64_t steps) {
    Behaviour behaviour = faster_with_x(point, steps);
    if (x_of(point) > 50) behaviour.failure = "exit status 1";
    return behaviour;
  });
  Silent silent;
  const auto searched = space_with("trials = 30\n");
  const auto found = search(program, searched, clock, silent);
  ASSERT_TRUE(found);
  int failed = 0;
  for (const auto& point : found->points) {
    if (std::stoi(point.settings[0].value) <= 50) continue;
    ++failed;
    ASSERT_EQ(point.results.size(), 1U);
    EXPECT_EQ(point.results[0].failure, "exit status 1");
    EXPECT_FALSE(point.results[0].value);
  }
  EXPECT_GT(failed, 5);
  EXPECT_LE(std::stoi(run::best_point(*found)->settings[0].value), 50);
}

// Where nothing matters, the best of many is a lucky one, and is not called better.
TEST(Searcher, LuckIsNotConfirmed) {
  base::FakeClock clock;
  SplitMix64 random(5);
  MadeUpProgram program(clock, 1, [&](const SearchPoint&, std::int64_t) {
    return Behaviour{.samples_per_s = 100 * (1 + 0.1 * (random.unit() - 0.5))};
  });
  Silent silent;
  const auto searched = space_with("trials = 27\n");
  const auto found = search(program, searched, clock, silent);
  ASSERT_TRUE(found);
  ASSERT_TRUE(found->final);
  EXPECT_FALSE(found->final->confirmed);
  EXPECT_LT(found->final->speedup->lo, 1);
}

TEST(Searcher, ABudgetLeavesTimeToConfirm) {
  base::FakeClock clock;
  MadeUpProgram program(clock, 1, faster_with_x);
  Silent silent;
  const auto searched = space_with("trials = 1000\nbudget = \"200s\"\n");
  const auto found = search(program, searched, clock, silent);
  ASSERT_TRUE(found);
  EXPECT_TRUE(found->out_of_time);
  EXPECT_TRUE(found->final);
  EXPECT_LE(found->seconds, 200);
  EXPECT_GT(found->points.size(), 10U);
}

TEST(Searcher, AnInterruptionHandsOnTheBestSoFar) {
  base::FakeClock clock;
  MadeUpProgram program(clock, 2, faster_with_x);
  program.interrupt_after = 6;
  Silent silent;
  const auto searched = space_with("trials = 27\n");
  const auto found = search(program, searched, clock, silent);
  ASSERT_TRUE(found);
  EXPECT_TRUE(found->interrupted);
  EXPECT_FALSE(found->final);
  EXPECT_NE(run::best_point(*found), nullptr);
}

TEST(Searcher, AProgramThatCannotBeMeasuredIsAnError) {
  base::FakeClock clock;
  MadeUpProgram program(clock, 1, [](const SearchPoint&, std::int64_t) {
    return Behaviour{.samples_per_s = 100, .failure = "exit status 1 (there is no data)"};
  });
  Silent silent;
  const auto searched = space_with("");
  const auto found = search(program, searched, clock, silent);
  ASSERT_FALSE(found);
  EXPECT_THAT(found.error().message, ::testing::HasSubstr("there is no data"));
  EXPECT_THAT(found.error().message, ::testing::HasSubstr("flatout report run1"));
}

TEST(Searcher, ASpaceOfFewPointsIsTriedOnceEach) {
  base::FakeClock clock;
  MadeUpProgram program(clock, 3, faster_with_x);
  Silent silent;
  auto searched = space_with("trials = 50\n");
  searched.dimensions[0].range.to = 4;
  const auto found = search(program, searched, clock, silent);
  ASSERT_TRUE(found);
  EXPECT_EQ(found->points.size(), 4U);
  EXPECT_EQ(found->points[0].results.size() + found->points[1].results.size() +
                found->points[2].results.size() + found->points[3].results.size(),
            6U);  // four, one of them on each of two more rungs
}

TEST(Searcher, ATrialMayTakeFourTimesWhatTheBaselinePromises) {
  base::FakeClock clock;
  MadeUpProgram program(clock, 1, [](const SearchPoint&, std::int64_t) {
    return Behaviour{.samples_per_s = 10};  // 20 s for 20 steps
  });
  Silent silent;
  const auto searched = space_with("trials = 3\n");
  ASSERT_TRUE(search(program, searched, clock, silent));
  EXPECT_EQ(program.timeouts[0], kFirstSearchTimeoutNs);
  EXPECT_NEAR(static_cast<double>(program.timeouts[1]), 80e9, 1e9);
}

}  // namespace
}  // namespace flatout::apply
