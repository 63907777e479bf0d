#include <gtest/gtest.h>

#include <random>
#include <vector>

#include "analyse/steps_fixture.h"
#include "run/nesting.h"

namespace flatout::analyse {
namespace {

using run::Phase;

// Streams of anything: nested, unbalanced, of all kinds and flags.
std::vector<run::PhaseEvent> random_events(std::mt19937_64& random, bool marked = false) {
  std::vector<run::PhaseEvent> events;
  std::int64_t t = 0;
  const std::size_t count = random() % 300;
  for (std::size_t i = 0; i < count; ++i) {
    t += static_cast<std::int64_t>(random() % 1000) - (random() % 50 == 0 ? 200 : 0);
    events.push_back({.t_ns = t,
                      .value = random() % 3,
                      .flags = static_cast<std::uint32_t>(random() % 64),
                      .id = static_cast<std::uint32_t>(random() % 4),
                      .phase = static_cast<Phase>(random() % (marked ? 12 : 11)),
                      .begin = random() % 2 == 0});
  }
  return events;
}

TEST(StepsProperty, PhasesSumToTheStepWhateverTheStream) {
  std::mt19937_64 random(7);
  std::size_t steps = 0;
  for (int round = 0; round < 3000; ++round) {
    const bool marked = round % 4 == 0;
    const StepCut cut = cut_steps(random_events(random, marked));
    ASSERT_NO_FATAL_FAILURE(expect_sums(cut, marked)) << "round " << round;
    steps += cut.steps.size();
  }
  EXPECT_GT(steps, 1000U);  // the streams do exercise steps
}

TEST(StepsProperty, EdgesNest) {
  std::mt19937_64 random(8);
  for (int round = 0; round < 1000; ++round) {
    std::vector<run::Edge> open;
    std::int64_t last = std::numeric_limits<std::int64_t>::min();
    for (const run::Edge& edge : run::nest(random_events(random, round % 4 == 0))) {
      ASSERT_GE(edge.t_ns, last);
      last = edge.t_ns;
      if (edge.phase == Phase::kStep) {
        ASSERT_TRUE(open.empty());
        continue;
      }
      if (edge.begin) {
        open.push_back(edge);
      } else {
        ASSERT_FALSE(open.empty());
        ASSERT_EQ(open.back().phase, edge.phase);
        ASSERT_EQ(open.back().id, edge.id);
        open.pop_back();
      }
    }
    ASSERT_TRUE(open.empty());
  }
}

}  // namespace
}  // namespace flatout::analyse
