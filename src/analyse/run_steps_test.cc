#include "analyse/run_steps.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <vector>

#include "analyse/analyse.h"
#include "analyse/loop_fixture.h"
#include "analyse/ranks.h"

namespace flatout::analyse {
namespace {

// Counts how often it is gone over.
class CountedEvents final : public run::RecordSource<run::PhaseEvent> {
 public:
  explicit CountedEvents(std::vector<run::PhaseEvent> events)
      : events_(std::move(events)),
        blocks_{{events_.front().t_ns, events_.back().t_ns, events_.size()}} {}
  std::span<const run::RecordBlockInfo> blocks() const override { return blocks_; }
  std::vector<run::PhaseEvent> load(std::size_t) const override {
    ++passes;
    return events_;
  }
  mutable int passes = 0;

 private:
  std::vector<run::PhaseEvent> events_;
  std::vector<run::RecordBlockInfo> blocks_;
};

TEST(RunSteps, AreTheSameEachTimeAndEachTimeIsOnePass) {
  run::Timeline timeline = run_of({.steps = 40, .wait = 5}).timeline();
  run::ProcessTrack& process = timeline.processes.at(TimelineBuilder::kPid);
  process.counted = run::phase_counts(process);
  const auto source = std::make_shared<CountedEvents>(process.phases.own());
  process.phases = run::Records<run::PhaseEvent>(source);

  const RunSteps steps(timeline);
  EXPECT_EQ(source->passes, 2) << "one to survey them, one to find the warm-up";
  const Analysis analysis = measure(timeline);
  source->passes = 0;
  for (const int passes : {1, 2}) {
    std::vector<Step> found;
    steps.each([&found](const Step& step, bool) {
      found.push_back(step);
      return true;
    });
    EXPECT_EQ(found, analysis.cut.steps);
    EXPECT_EQ(source->passes, passes);
  }
}

// Two processes that train, each with `script`.
TimelineBuilder two_ranks(const LaneScript& script) {
  TimelineBuilder run;
  run.process(101, run::ProcRole::kMain);
  for (const int rank : {0, 1}) {
    const pid_t pid = TimelineBuilder::kPid + rank;
    run.lane(script, pid)
        .fact(pid, run::facts::kRank, R"({"rank":)" + std::to_string(rank) + R"(,"world_size":2})");
  }
  return run;
}

const TimeWindow kAll{0, ns(1e9)};

TEST(Ranks, OfACompiledOptimizerHaveTheStepsOfTheRun) {
  LaneScript script;
  for (int i = 0; i < 30; ++i) script.draw(1, 20).forward(5).span(run::Phase::kBackward, 5).idle(2);
  const TimelineBuilder run = two_ranks(script);
  const auto ranks = measure_ranks(run.timeline(), kAll, false);
  ASSERT_EQ(ranks.size(), 2U);
  for (const RankSteps& rank : ranks) {
    EXPECT_EQ(rank.steps, std::ssize(measure(run.timeline()).cut.steps));
    EXPECT_EQ(rank.steps, 30);
    EXPECT_NEAR(rank.phase_ns(run::Phase::kDataWait), 20e6, 1);
  }
  EXPECT_EQ(ranks[0].rank, 0);
  EXPECT_EQ(ranks[1].pid, TimelineBuilder::kPid + 1);
}

TEST(Ranks, OfWhatTrainsAloneNothingIsCut) {
  LaneScript script;
  for (int i = 0; i < 30; ++i) script.draw(1, 20).train(10);
  for (const bool with_rank : {true, false}) {
    run::Timeline timeline = two_ranks(script).timeline();
    run::ProcessTrack& first = timeline.processes.at(TimelineBuilder::kPid);
    first.counted = run::phase_counts(first);
    const auto source = std::make_shared<CountedEvents>(first.phases.own());
    first.phases = run::Records<run::PhaseEvent>(source);
    if (with_rank) {
      timeline.processes.erase(101);
    } else {
      timeline.processes.at(101).facts = {};
    }
    EXPECT_THAT(measure_ranks(timeline, kAll, true), testing::IsEmpty());
    EXPECT_EQ(source->passes, 0);
  }
}

}  // namespace
}  // namespace flatout::analyse
