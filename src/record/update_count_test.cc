#include "record/update_count.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace flatout::record {
namespace {

using run::Phase;

struct Case {
  std::string what;
  std::vector<run::PhaseEvent> events;
  std::uint64_t steps = 0;
};

run::PhaseEvent begin(Phase phase, std::uint16_t lane = 0) {
  return {.lane = lane, .phase = phase, .begin = true};
}
run::PhaseEvent end(Phase phase, std::uint32_t flags = 0, std::uint16_t lane = 0) {
  return {.flags = flags, .lane = lane, .phase = phase, .begin = false};
}

const run::PhaseEvent kBegin = begin(Phase::kOptimizer);
const run::PhaseEvent kEnd = end(Phase::kOptimizer);
const run::PhaseEvent kPause = end(Phase::kOptimizer, run::kPaused);
const run::PhaseEvent kMark = end(Phase::kStep, run::kMarked);

const Case kCases[] = {
    {"nothing", {}, 0},
    {"a forward", {begin(Phase::kForward), end(Phase::kForward)}, 0},
    {"two updates", {kBegin, kEnd, kBegin, kEnd}, 2},
    {"one that has not ended", {kBegin, kEnd, kBegin}, 1},
    {"a GradScaler's step around the optimizer's", {kBegin, kBegin, kEnd, kEnd}, 1},
    {"a GradScaler's that leaves it out", {kBegin, kEnd}, 1},
    {"one that raised", {kBegin, end(Phase::kOptimizer, run::kRaised)}, 0},
    {"one that raised in a GradScaler's",
     {kBegin, kBegin, end(Phase::kOptimizer, run::kRaised), end(Phase::kOptimizer, run::kRaised)},
     0},
    {"one that is recorded into a graph", {kBegin, end(Phase::kOptimizer, run::kCaptured)}, 0},
    {"one that was closed by a later event", {kBegin, end(Phase::kOptimizer, run::kSkipped)}, 1},
    {"a closure that is asked three times",
     {kBegin, kPause, kBegin, kPause, kBegin, kPause, kBegin, kEnd},
     1},
    {"a closure in a GradScaler's",
     {kBegin, kBegin, kPause, kPause, kBegin, kBegin, kEnd, kEnd},
     1},
    {"a replay", {begin(Phase::kReplay), end(Phase::kReplay)}, 1},
    {"a replay that raised", {begin(Phase::kReplay), end(Phase::kReplay, run::kRaised)}, 0},
    {"an optimizer that is replayed",
     {kBegin, begin(Phase::kReplay), end(Phase::kReplay), kEnd},
     1},
    {"an update and its mark", {kBegin, kEnd, kMark, kBegin, kEnd, kMark}, 2},
    {"two updates a mark", {kBegin, kEnd, kBegin, kEnd, kMark}, 1},
    {"an end whose begin was dropped", {kEnd, kBegin, kEnd}, 1},
    {"a begin whose end was dropped", {kBegin, kBegin, kEnd, kBegin, kEnd, kBegin, kEnd}, 3},
    {"two threads at once",
     {kBegin, begin(Phase::kOptimizer, 1), kEnd, end(Phase::kOptimizer, 0, 1)},
     2},
};

TEST(UpdateCount, CountsEachUpdateOnce) {
  for (const Case& one : kCases) {
    UpdateCount whole;
    whole.add(one.events);
    EXPECT_EQ(whole.steps(), one.steps) << one.what;
    UpdateCount in_pieces;  // as they come from a ring
    for (const run::PhaseEvent& event : one.events) in_pieces.add(std::span(&event, 1));
    EXPECT_EQ(in_pieces.steps(), one.steps) << one.what << ", one event a tick";
  }
}

}  // namespace
}  // namespace flatout::record
