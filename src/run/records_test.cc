#include "run/records.h"

#include <gtest/gtest.h>

#include "run/timeline.h"

namespace flatout::run {
namespace {

// Ten points a block, one a second; says which blocks were read.
class CountedBlocks final : public RecordSource<Point> {
 public:
  explicit CountedBlocks(int blocks) {
    for (int i = 0; i < blocks; ++i) infos_.push_back({i * 10, i * 10 + 9, 10});
  }
  std::span<const RecordBlockInfo> blocks() const override { return infos_; }
  std::vector<Point> load(std::size_t block) const override {
    loaded.push_back(block);
    std::vector<Point> points;
    if (block == unreadable) return points;
    for (std::int64_t i = 0; i < 10; ++i) {
      const std::int64_t t_ns = static_cast<std::int64_t>(block) * 10 + i;
      points.push_back({t_ns, static_cast<double>(t_ns)});
    }
    return points;
  }

  mutable std::vector<std::size_t> loaded;
  std::size_t unreadable = 1'000;

 private:
  std::vector<RecordBlockInfo> infos_;
};

std::vector<std::int64_t> times_of(const auto& range) {
  std::vector<std::int64_t> times;
  for (const Point& point : range) times.push_back(point.t_ns);
  return times;
}

// Not inlined: GCC 12 otherwise knows that no records of its own are there, and warns of code that
// would then read the last of them, but is not reached.
[[gnu::noinline]] Records<Point> records_in(const std::shared_ptr<CountedBlocks>& source) {
  return Records<Point>(source);
}

TEST(Records, APassReadsEachBlockOnce) {
  const auto source = std::make_shared<CountedBlocks>(5);
  const Records<Point> records = records_in(source);
  EXPECT_EQ(records.size(), 50U);
  EXPECT_EQ(records.first_ns(), 0);
  EXPECT_EQ(records.last_ns(), 49);
  EXPECT_TRUE(source->loaded.empty());
  EXPECT_EQ(times_of(records).size(), 50U);
  EXPECT_EQ(source->loaded, (std::vector<std::size_t>{0, 1, 2, 3, 4}));
}

TEST(Records, ARangeReadsOnlyItsBlocks) {
  const auto source = std::make_shared<CountedBlocks>(5);
  const Records<Point> records(source);
  EXPECT_EQ(times_of(records.between(18, 23)), (std::vector<std::int64_t>{18, 19, 20, 21, 22}));
  EXPECT_EQ(source->loaded, (std::vector<std::size_t>{1, 2}));
  EXPECT_TRUE(records.between(23, 23).empty());
  EXPECT_TRUE(records.between(50, 60).empty());
  EXPECT_TRUE(records.between(-5, 0).empty());
  EXPECT_EQ(times_of(records.between(-5, 2)), (std::vector<std::int64_t>{0, 1}));
  EXPECT_EQ(times_of(records.between(48, 99)), (std::vector<std::int64_t>{48, 49}));
}

TEST(Records, ABlockThatCannotBeReadIsLeftOut) {
  const auto source = std::make_shared<CountedBlocks>(3);
  source->unreadable = 1;
  const Records<Point> records(source);
  EXPECT_EQ(times_of(records).size(), 20U);
  EXPECT_EQ(times_of(records.between(8, 21)), (std::vector<std::int64_t>{8, 9, 20}));
  EXPECT_TRUE(records.between(12, 15).empty());
  EXPECT_FALSE(records.at(15));
}

TEST(Records, WhatIsCountedMayNotBeThere) {
  const auto source = std::make_shared<CountedBlocks>(1);
  source->unreadable = 0;
  const Records<Point> records(source);
  EXPECT_FALSE(records.empty());
  EXPECT_EQ(records.size(), 10U);
  EXPECT_TRUE(records.begin() == records.end());
  EXPECT_FALSE(records.front());
  EXPECT_FALSE(records.back());
  EXPECT_FALSE(records.at(3));
}

TEST(Records, ABlockOfWhichAPartIsLostHasNoFirstOrLast) {
  struct OneOfTwo final : RecordSource<Point> {
    std::span<const RecordBlockInfo> blocks() const override { return infos; }
    std::vector<Point> load(std::size_t) const override { return {{5, 1}}; }
    std::vector<RecordBlockInfo> infos = {{0, 5, 2}};
  };
  const Records<Point> records(std::make_shared<OneOfTwo>());
  EXPECT_FALSE(records.front()) << "the one that is left is not it";
  EXPECT_FALSE(records.at(0));
  EXPECT_FALSE(records.back()) << "nobody knows which one is left";
}

TEST(Records, InMemoryAndElsewhereAreTheSame) {
  Records<Point> memory;
  for (std::int64_t i = 0; i < 30; ++i) memory.push_back({i, static_cast<double>(i)});
  const Records<Point> elsewhere(std::make_shared<CountedBlocks>(3));
  EXPECT_EQ(times_of(memory), times_of(elsewhere));
  for (std::int64_t from = -1; from < 31; ++from) {
    for (std::int64_t to = -1; to < 32; to += 3) {
      EXPECT_EQ(times_of(memory.between(from, to)), times_of(elsewhere.between(from, to)));
    }
  }
  EXPECT_EQ(memory.back().value().t_ns, elsewhere.back().value().t_ns);
  EXPECT_EQ(memory.at(17).value().t_ns, elsewhere.at(17).value().t_ns);
  // Copies share the source; changing one brings its items into memory.
  Records<Point> copy = elsewhere;
  copy.own().pop_back();
  EXPECT_EQ(copy.size(), 29U);
  EXPECT_EQ(elsewhere.size(), 30U);
}

TEST(Records, NothingIsEmpty) {
  const Records<Point> none;
  EXPECT_TRUE(none.empty());
  EXPECT_FALSE(none.front());
  EXPECT_FALSE(none.back());
  EXPECT_TRUE(times_of(none).empty());
  EXPECT_TRUE(none.between(0, 100).empty());
  const Records<Point> no_blocks(std::make_shared<CountedBlocks>(0));
  EXPECT_TRUE(no_blocks.empty());
  EXPECT_TRUE(times_of(no_blocks).empty());
}

TEST(PhaseCounts, AreByLaneAndPhase) {
  ProcessTrack track;
  for (const std::uint16_t lane : std::vector<std::uint16_t>{2, 1, 2}) {
    track.phases.push_back({.t_ns = 1, .lane = lane, .phase = Phase::kForward, .begin = true});
    track.phases.push_back({.t_ns = 2, .lane = lane, .phase = Phase::kForward});
  }
  track.phases.push_back({.t_ns = 3, .lane = 2, .phase = Phase::kStep});
  const std::vector<PhaseCount> expected = {
      {1, Phase::kForward, 1, 1}, {2, Phase::kForward, 2, 2}, {2, Phase::kStep, 0, 1}};
  EXPECT_EQ(phase_counts(track), expected);
}

}  // namespace
}  // namespace flatout::run
