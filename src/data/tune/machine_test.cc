// What a loader begins with and may come to, for machines that are not this one.
#include "data/tune/machine.h"

#include <gtest/gtest.h>

namespace flatout::data::tune {
namespace {

constexpr std::size_t kGib = std::size_t{1} << 30;
constexpr std::size_t kSampleBytes = 224 * 224 * 3 * 4;
constexpr std::size_t kBatchSize = 64;

Machine with(int cores, std::optional<int> processes = std::nullopt) {
  return {.cores = cores,
          .cpus = static_cast<double>(cores),
          .memory_bytes = 64 * kGib,
          .told_processes = processes};
}

std::optional<Bounds> bounds(const Machine& machine, const Asked& asked, std::int64_t ranks = 1) {
  return bounds_of(machine, asked, ranks, kSampleBytes, kBatchSize);
}

TEST(Machine, AllRanksMayBeHereWhereItIsNotTold) {
  EXPECT_EQ(processes_here(with(8), 16), 16);
  EXPECT_EQ(processes_here(with(8, 4), 16), 4);
}

TEST(Machine, ATunedLoaderBeginsWithItsShareOfTheCores) {
  EXPECT_EQ(first_threads(with(8), {}), 8);
  EXPECT_EQ(first_threads(with(8, 4), {}), 2);
  EXPECT_EQ(first_threads(with(2, 4), {}), 1);
}

TEST(Machine, AnUntunedLoaderHasTheCores) {
  EXPECT_EQ(first_threads(with(8, 4), {.tune = false}), 8);
}

TEST(Machine, AGivenNumberOfThreadsIsTaken) {
  EXPECT_EQ(first_threads(with(8, 4), {.threads = 5}), 5);
  EXPECT_EQ(first_threads(with(8, 4), {.threads = 5, .tune = false}), 5);
}

TEST(Machine, AloneThreadsMayOutnumberTheCores) {
  EXPECT_EQ(most_threads(with(2)), 32);
  EXPECT_EQ(most_threads(with(16)), 64);
  EXPECT_EQ(most_threads(with(16, 1)), 64);
}

TEST(Machine, AmongOtherProcessesTheyMayNotButWhereTheyWait) {
  EXPECT_EQ(most_threads(with(16, 4)), 16);
  EXPECT_EQ(most_threads(with(2, 4)), 8);
}

TEST(Machine, WhatIsGivenIsNotTuned) {
  EXPECT_FALSE(bounds(with(8), {.tune = false}));
  EXPECT_FALSE(bounds(with(8), {.threads = 3, .ahead = 4}));
  const auto depth = bounds(with(8), {.threads = 3});
  ASSERT_TRUE(depth);
  EXPECT_FALSE(depth->tune_threads);
  EXPECT_TRUE(depth->tune_ahead);
  const auto threads = bounds(with(8), {.ahead = 4});
  ASSERT_TRUE(threads);
  EXPECT_TRUE(threads->tune_threads);
  EXPECT_FALSE(threads->tune_ahead);
  EXPECT_EQ(threads->batch_size, kBatchSize);
}

TEST(Machine, AQuotaMayLeaveAPartOfACore) {
  Machine machine = with(2);
  machine.cpus = 1.5;
  EXPECT_DOUBLE_EQ(bounds(machine, {})->cores, 1.5);
}

// An eighth of the memory, shared among the processes, in whole batches, and 2 to 64 of them.
TEST(Machine, PrefetchedBatchesFollowTheMemory) {
  Machine machine = with(8);
  constexpr std::size_t kBatch = kSampleBytes * kBatchSize;
  machine.memory_bytes = 8 * 10 * kBatch;
  EXPECT_EQ(bounds(machine, {})->most_ahead, 10U);
  EXPECT_EQ(bounds(machine, {}, 2)->most_ahead, 5U);
  machine.told_processes = 1;
  EXPECT_EQ(bounds(machine, {}, 2)->most_ahead, 10U);
  machine.memory_bytes = 0;
  EXPECT_EQ(bounds(machine, {})->most_ahead, kFirstAhead);
  machine.memory_bytes = SIZE_MAX;
  EXPECT_EQ(bounds(machine, {})->most_ahead, 64U);
  EXPECT_EQ(bounds_of(machine, {}, 1, 0, kBatchSize)->most_ahead, 64U);
}

}  // namespace
}  // namespace flatout::data::tune
