#include "analyse/stragglers/stragglers.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <random>
#include <vector>

#include "analyse/rules/rank_traces.h"
#include "analyse/stragglers/job_fixture.h"
#include "analyse/stragglers/matching.h"

namespace flatout::analyse {
namespace {

using ::testing::HasSubstr;
using Steps = std::vector<std::vector<StepOfRank>>;

Steps even_steps(std::size_t steps, std::size_t ranks) {
  return Steps(steps, std::vector<StepOfRank>(ranks));
}

Steps random_steps_of_job(std::mt19937& dice, std::size_t steps, std::size_t ranks) {
  Steps out = even_steps(steps, ranks);
  for (auto& step : out) {
    for (StepOfRank& rank : step) {
      rank.data = 50 + static_cast<std::int64_t>(dice() % 400);
      rank.compute = 100 + static_cast<std::int64_t>(dice() % 900);
    }
  }
  return out;
}

TEST(Stragglers, EvenRanksWaitForNobody) {
  const run::RankComparison seen = compare_ranks(traces_of_job(even_steps(20, 4)));
  EXPECT_EQ(seen.collectives, 30);
  EXPECT_FALSE(seen.numbered);
  EXPECT_FALSE(seen.straggler);
  for (const run::ComparedRank& rank : seen.ranks) EXPECT_EQ(rank.waited_ms, 0);
}

TEST(Stragglers, ALateFetchIsDataWait) {
  Steps steps = even_steps(20, 4);
  for (auto& step : steps) step[2].data += 200;
  const run::RankComparison seen = compare_ranks(traces_of_job(steps));
  ASSERT_TRUE(seen.straggler);
  EXPECT_EQ(seen.straggler->rank, 2);
  EXPECT_EQ(seen.straggler->last, 20);
  EXPECT_NEAR(seen.straggler->held_ms, 20 * 0.2, 1e-6);
  EXPECT_NEAR(seen.straggler->exposed_ms, 20 * 0.2, 1e-6);
  EXPECT_EQ(seen.straggler->cause, run::Cause::kLateData);
  EXPECT_EQ(seen.straggler->phases.front().first, "data_wait");
  // The first has no collective before it that would say since when.
  EXPECT_NEAR(seen.straggler->phases.front().second, 19 * 0.2, 1e-3);
  EXPECT_NEAR(seen.ranks[0].waited_ms, 20 * 0.2, 1e-6);
  EXPECT_EQ(seen.ranks[2].waited_ms, 0);
  const auto finding = rank_imbalance_of_traces(seen);
  ASSERT_TRUE(finding);
  EXPECT_EQ(finding->severity, run::Severity::kCritical);
  EXPECT_THAT(finding->summary, HasSubstr("rank 2, the last one at 20 of 30"));
}

TEST(Stragglers, LongerKernelsAreTheDevicesInTheirPhase) {
  Steps steps = even_steps(20, 3);
  for (auto& step : steps) step[0].compute += 300;
  const run::RankComparison seen = compare_ranks(traces_of_job(steps));
  ASSERT_TRUE(seen.straggler);
  EXPECT_EQ(seen.straggler->rank, 0);
  EXPECT_EQ(seen.straggler->cause, run::Cause::kLateCompute);
  EXPECT_EQ(seen.straggler->phases.front().first, "forward");
  EXPECT_THAT(rank_imbalance_of_traces(seen)->summary, HasSubstr("works longer in forward"));
}

// Whatever the clocks say, and wherever the traces begin.
TEST(Stragglers, ClocksChangeNothing) {
  std::mt19937 dice(7);
  for (int round = 0; round < 30; ++round) {
    const std::size_t ranks = 2 + dice() % 6;
    const Steps steps = random_steps_of_job(dice, 24, ranks);
    JobOptions skewed;
    for (std::size_t rank = 0; rank < ranks; ++rank) {
      const auto ahead = static_cast<std::int64_t>(dice() % 2'000'000'000);
      skewed.ahead.push_back(rank == 0 ? 0 : ahead - 1'000'000'000);
    }
    const run::RankComparison truth = compare_ranks(traces_of_job(steps));
    const run::RankComparison seen = compare_ranks(traces_of_job(steps, skewed));
    EXPECT_EQ(seen.collectives, truth.collectives);
    ASSERT_EQ(seen.straggler.has_value(), truth.straggler.has_value());
    if (truth.straggler) {
      EXPECT_EQ(seen.straggler->rank, truth.straggler->rank);
      EXPECT_EQ(seen.straggler->cause, truth.straggler->cause);
      EXPECT_NEAR(seen.straggler->held_ms, truth.straggler->held_ms, 1e-6);
      EXPECT_NEAR(seen.straggler->exposed_ms, truth.straggler->exposed_ms, 1e-6);
    }
    for (std::size_t rank = 0; rank < ranks; ++rank) {
      EXPECT_EQ(seen.ranks[rank].last, truth.ranks[rank].last);
      EXPECT_NEAR(seen.ranks[rank].waited_ms, truth.ranks[rank].waited_ms, 1e-6);
      ASSERT_TRUE(seen.ranks[rank].clock_ahead_ms);
      EXPECT_NEAR(*seen.ranks[rank].clock_ahead_ms, static_cast<double>(skewed.ahead[rank]) / 1000,
                  0.001);
    }
  }
}

TEST(Stragglers, TracesThatBeginAtOtherStepsAreShifted) {
  std::mt19937 dice(11);
  const Steps steps = random_steps_of_job(dice, 24, 3);
  const JobOptions options{.ahead = {0, 5'000'000, -7'000'000}, .unseen = {2, 0, 4}};
  const auto traces = traces_of_job(steps, options);
  const Matching matching = match_collectives(traces);
  EXPECT_EQ(matching.collectives.size(), 30U);  // of steps 4 to 23
  for (const MatchedCollective& row : matching.collectives) {
    for (const RankPart& part : row) {
      EXPECT_EQ(part.collective->end_ns - options.ahead[part.rank] * 1000,
                row.front().collective->end_ns);
    }
  }
}

TEST(Stragglers, TracesOfTwoJobsAreNotMatched) {
  std::mt19937 dice(3);
  auto traces = traces_of_job(random_steps_of_job(dice, 24, 1));
  traces.push_back(traces_of_job(random_steps_of_job(dice, 24, 1)).front());
  traces[1].rank = 1;
  const run::RankComparison seen = compare_ranks(traces);
  EXPECT_EQ(seen.collectives, 0);
  EXPECT_FALSE(seen.ranks[1].clock_ahead_ms);
  EXPECT_FALSE(rank_imbalance_of_traces(seen));
}

TEST(Stragglers, NumbersDecideWhereTheTracesHaveThem) {
  Steps steps = even_steps(12, 2);
  for (auto& step : steps) step[1].compute += 100;
  auto traces = traces_of_job(steps);
  for (RankTrace& trace : traces) {
    auto& lane = trace.lanes.begin()->second;
    for (std::size_t i = 0; i < lane.size(); ++i) lane[i].sequence = static_cast<int>(i) + 40;
  }
  auto& lane = traces[1].lanes.begin()->second;
  lane.erase(lane.begin() + 5);  // a record that was lost
  const run::RankComparison seen = compare_ranks(traces);
  EXPECT_TRUE(seen.numbered);
  EXPECT_EQ(seen.collectives, 17);
  EXPECT_EQ(seen.straggler->rank, 1);
}

TEST(Stragglers, BehindALostRecordNothingIsMatchedWrongly) {
  std::mt19937 dice(5);
  auto traces =
      traces_of_job(random_steps_of_job(dice, 24, 2), {.ahead = {0, 40'000}, .unseen = {}});
  auto& lane = traces[1].lanes.begin()->second;
  lane.erase(lane.begin() + 25);
  const Matching matching = match_collectives(traces);
  EXPECT_EQ(matching.collectives.size(), 35U);
  for (const MatchedCollective& row : matching.collectives) {
    EXPECT_EQ(row[1].collective->end_ns - row[0].collective->end_ns, 40'000'000);
  }
}

TEST(Stragglers, WhatIsHiddenBehindComputeIsNotLost) {
  std::vector<RankTrace> traces(2);
  for (int rank = 0; rank < 2; ++rank) {
    traces[static_cast<std::size_t>(rank)].rank = rank;
    traces[static_cast<std::size_t>(rank)].window_ms = 10;
    auto& lane = traces[static_cast<std::size_t>(rank)].lanes["stream 1"];
    for (int i = 0; i < 10; ++i) {
      const std::int64_t end = 1'000'000 * (i + 1);
      RankCollective one{.begin_ns = end - (rank == 0 ? 500'000 : 100'000), .end_ns = end};
      one.exposed_ns = 150'000;
      lane.push_back(one);
    }
  }
  const run::RankComparison seen = compare_ranks(traces);
  EXPECT_EQ(seen.straggler->rank, 1);
  EXPECT_NEAR(seen.straggler->held_ms, 4, 1e-9);
  EXPECT_NEAR(seen.straggler->exposed_ms, 1.5, 1e-9);
  EXPECT_NEAR(seen.straggler->share, 0.15, 1e-9);
  EXPECT_EQ(seen.straggler->cause, run::Cause::kNone);
}

TEST(CollectiveKinds, OfEveryNamingEra) {
  using enum CollectiveKind;
  EXPECT_EQ(collective_kind("ncclAllReduceRingLLKernel_sum_f32(ncclColl)"), kAllReduce);
  EXPECT_EQ(collective_kind("ncclKernel_ReduceScatter_RING_LL_Sum_float(x)"), kReduceScatter);
  EXPECT_EQ(collective_kind("ncclDevKernel_AllGather_RING_LL(x)"), kAllGather);
  EXPECT_EQ(collective_kind("ncclKernel_SendRecv_RING_SIMPLE_Sum_int8_t(x)"), kAllToAll);
  EXPECT_EQ(collective_kind("ncclKernel_Broadcast_RING_LL_Sum_int8_t(x)"), kOneSided);
  EXPECT_EQ(collective_kind("ncclDevKernel_Reduce_Sum_f32_RING_LL(x)"), kOneSided);
  EXPECT_EQ(collective_kind("ncclDevKernel_Generic(x)"), kUnknown);
  EXPECT_EQ(collective_kind("_allgather_base"), kAllGather);
  EXPECT_EQ(collective_kind("_reduce_scatter_base"), kReduceScatter);
  EXPECT_EQ(collective_kind("all_to_allv"), kAllToAll);
  EXPECT_EQ(collective_kind("send"), kOneSided);
}

}  // namespace
}  // namespace flatout::analyse
