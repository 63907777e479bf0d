// Rules about ranks, workers and restarts of epochs, on both sides of their
// thresholds.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>

#include "analyse/analyse.h"
#include "analyse/finding_fixture.h"
#include "analyse/loop_fixture.h"

namespace flatout::analyse {
namespace {

using run::Metric;
using run::Phase;
using run::Severity;
using ::testing::HasSubstr;

// Two ranks; in ms. What one has more of, the other waits for in `in`.
struct Ranks {
  std::array<double, 2> wait = {1, 1};
  std::array<double, 2> backward = {10, 10};
  std::array<double, 2> comm = {0, 0};
};

TimelineBuilder ranks_of(const Ranks& ranks, bool stated = true) {
  TimelineBuilder builder;
  for (std::size_t rank = 0; rank < 2; ++rank) {
    LaneScript lane(500);
    for (int i = 0; i < 60; ++i) {
      lane.draw(1, ranks.wait[rank]).forward(5).span(Phase::kBackward, ranks.backward[rank]);
      if (ranks.comm[rank] > 0) lane.span(Phase::kComm, ranks.comm[rank]);
      lane.span(Phase::kOptimizer, 2);
    }
    const pid_t pid = TimelineBuilder::kPid + static_cast<pid_t>(rank);
    builder.process(pid, run::ProcRole::kMain).proc.rank = stated ? static_cast<int>(rank) : -1;
    builder.lane(lane, pid);
    if (stated) {
      builder.fact(pid, run::facts::kRank,
                   R"({"rank":)" + std::to_string(rank) + R"(,"world_size":2,"backend":"gloo"})");
    }
  }
  return builder;
}

TEST(RankImbalance, OneWaitsForDataAndTheOtherForIt) {
  const run::Report report = analyse(ranks_of({.wait = {1, 6}, .backward = {15, 10}}).timeline());
  const run::Finding* finding = finding_of(report, "rank_imbalance");
  ASSERT_NE(finding, nullptr);
  EXPECT_NEAR(finding->share, 5.0 / 23, 1e-3);
  EXPECT_EQ(finding->severity, Severity::kCritical);
  EXPECT_THAT(finding->summary, HasSubstr("rank 1 has 5 ms more to do"));
  EXPECT_THAT(finding->summary, HasSubstr("in data_wait"));
  EXPECT_EQ(report.verdict.finding, "rank_imbalance");
}

TEST(RankImbalance, SeenInCollectivesEvenOfBackward) {
  const run::Report report = analyse(ranks_of({.backward = {10, 14}, .comm = {5, 1}}).timeline());
  const run::Finding* finding = finding_of(report, "rank_imbalance");
  ASSERT_NE(finding, nullptr);
  EXPECT_NEAR(finding->share, 4.0 / 23, 1e-3);
  EXPECT_EQ(finding->severity, Severity::kWarn);
  EXPECT_THAT(finding->summary, HasSubstr("in backward"));
}

// The host of rank 0 waits for rank 1, for 5 of 23 ms; its device computes for most of that time.
TEST(RankImbalance, WhatTheDeviceComputesMeanwhileIsNotLost) {
  TimelineBuilder run = ranks_of({.wait = {1, 6}, .backward = {15, 10}});
  auto& device = run.timeline().processes[TimelineBuilder::kPid].device_phases;
  for (std::int64_t t = ns(523); t < run.timeline().last_ns; t += ns(23)) {
    device.push_back({.t_ns = t, .duration_ns = ns(20), .phase = Phase::kForward});
    device.push_back({.t_ns = t, .duration_ns = ns(3), .phase = Phase::kComm});
  }
  const run::Report report = analyse(run.timeline());
  const run::Finding* finding = finding_of(report, "rank_imbalance");
  ASSERT_NE(finding, nullptr);
  EXPECT_NEAR(finding->share, 3.0 / 23, 0.02);
  EXPECT_EQ(finding->severity, Severity::kWarn);
}

TEST(RankImbalance, Silent) {
  // Equal; below 10 %; nobody waits (independent programs); one process; no ranks stated.
  EXPECT_EQ(finding_of(analyse(ranks_of({}).timeline()), "rank_imbalance"), nullptr);
  EXPECT_EQ(finding_of(analyse(ranks_of({.wait = {1, 2.7}, .backward = {11.7, 10}}).timeline()),
                       "rank_imbalance"),
            nullptr);
  EXPECT_EQ(finding_of(analyse(ranks_of({.wait = {1, 6}}).timeline()), "rank_imbalance"), nullptr);
  EXPECT_EQ(finding_of(analyse(run_of({.wait = 6}).timeline()), "rank_imbalance"), nullptr);
  EXPECT_EQ(finding_of(analyse(ranks_of({.wait = {1, 6}, .backward = {15, 10}}, false).timeline()),
                       "rank_imbalance"),
            nullptr);
}

// Workers that burn CPU beside a step of 10 ms; the machine has 4 CPUs.
run::Report workers_of(int workers, double run_delay, double cpu = 0.9, double wait = 0.3,
                       double others = 0) {
  TimelineBuilder builder = run_of(
      {.workers = workers, .wait = wait, .batch_wall = 8, .batch_cpu = 8 * cpu, .hand_over = 0.1});
  builder.series(Metric::kProcessCpuRunDelay, TimelineBuilder::kPid, run_delay);
  if (others > 0) {
    builder.series(Metric::kProcessCpuCoresUsed, TimelineBuilder::kPid, 1);
    builder.series(Metric::kHostCpuCoresUsed, run::kHostSource, 1 + others);
  }
  return analyse(builder.timeline());
}

TEST(TooManyWorkers, TheStepThreadWaitsForACore) {
  const run::Report report = workers_of(6, 0.15);
  const run::Finding* finding = finding_of(report, "too_many_workers");
  ASSERT_NE(finding, nullptr);
  EXPECT_EQ(finding->severity, Severity::kWarn);
  EXPECT_NEAR(finding->share, 0.15, 1e-9);
  EXPECT_EQ(finding_of(report, "cpu_contention"), nullptr);
  EXPECT_EQ(report.verdict.finding, "too_many_workers");
}

TEST(TooManyWorkers, WithoutALossFromTwiceTheCores) {
  ASSERT_NE(finding_of(workers_of(8, 0.05), "too_many_workers"), nullptr);
  EXPECT_EQ(finding_of(workers_of(8, 0.05), "too_many_workers")->severity, Severity::kInfo);
  EXPECT_EQ(finding_of(workers_of(8, 0.05), "too_many_workers")->share, 0);
  EXPECT_EQ(finding_of(workers_of(7, 0.05), "too_many_workers"), nullptr);
}

TEST(TooManyWorkers, Silent) {
  EXPECT_EQ(finding_of(workers_of(4, 0.15), "too_many_workers"), nullptr) << "as many as cores";
  EXPECT_NE(finding_of(workers_of(4, 0.15), "cpu_contention"), nullptr);
  EXPECT_EQ(finding_of(workers_of(8, 0.15, 0.3), "too_many_workers"), nullptr) << "they wait";
  // Somebody else takes the cores: cpu_contention says so.
  const run::Report shared = workers_of(6, 0.15, 0.9, 0.3, 2);
  EXPECT_EQ(finding_of(shared, "too_many_workers"), nullptr);
  EXPECT_NE(finding_of(shared, "cpu_contention"), nullptr);
}

// Six workers and the training thread want more than the four CPUs even without the two of others.
TEST(TooManyWorkers, BesideOthersWhatTheRunWouldWaitAnywayCounts) {
  TimelineBuilder builder =
      run_of({.workers = 6, .wait = 0.3, .batch_wall = 8, .batch_cpu = 7.2, .hand_over = 0.1});
  builder.series(Metric::kProcessCpuRunDelay, TimelineBuilder::kPid, 0.4);
  builder.series(Metric::kProcessCpuRunDelay, TimelineBuilder::kPid + 1, 2);  // of workers, a sum
  builder.series(Metric::kProcessCpuCoresUsed, TimelineBuilder::kPid, 3);
  builder.series(Metric::kHostCpuCoresUsed, run::kHostSource, 4);
  const run::Report report = analyse(builder.timeline());
  const run::Finding* finding = finding_of(report, "too_many_workers");
  ASSERT_NE(finding, nullptr);
  // They want 5.4 of the 4 CPUs; the one that others use is 1 of the 2.4 that are missing.
  EXPECT_NEAR(finding->share, 0.4 * 1.4 / 2.4, 1e-9);
  EXPECT_THAT(finding->summary, HasSubstr("waits for a core 23 % of the time because of them"));
  EXPECT_EQ(finding_of(report, "cpu_contention"), nullptr);
}

// Epochs of 10 steps of 11 ms; the first draw of each waits `first` ms.
run::Report epochs_of(double first, bool persistent, int epochs = 8, double wait = 1) {
  TimelineBuilder builder;
  builder.fact(TimelineBuilder::kPid, run::facts::kLoader,
               std::string(R"({"loader":1,"workers":2,"persistent_workers":)") +
                   (persistent ? "true" : "false") + R"(,"built_at":"/s/t.py:41"})");
  LaneScript lane(500);
  for (int epoch = 1; epoch <= epochs; ++epoch) {
    const auto id = static_cast<std::uint32_t>(epoch);
    builder.iterator(id, 2);
    lane.build(id, 1);
    for (int i = 0; i < 10; ++i) lane.draw(id, i == 0 ? first : wait).train(10);
    lane.exhaust(id, 0.1);
  }
  return analyse(builder.lane(lane).timeline());
}

TEST(InputBound, OfTheNativeEngineIsNoMatterOfWorkers) {
  TimelineBuilder builder;
  builder.fact(TimelineBuilder::kPid, run::facts::kLoader,
               R"({"loader":1,"workers":0,"engine":"native","built_at":"/s/t.py:41"})");
  builder.iterator(1, 0);
  LaneScript lane(500);
  lane.build(1, 1);
  for (int i = 0; i < 60; ++i) lane.draw(1, 20).train(10);
  const run::Report report = analyse(builder.lane(lane).timeline());
  const run::Finding* finding = finding_of(report, "input_bound");
  ASSERT_NE(finding, nullptr);
  EXPECT_EQ(finding->cause, run::Cause::kNativeLoading);
  EXPECT_THAT(finding->summary, HasSubstr("native engine's threads cannot keep up (/s/t.py:41)"));
  ASSERT_TRUE(report.loader);
  EXPECT_EQ(report.loader->engine, "native");
  EXPECT_FALSE(report.loader->native_refusal);
  EXPECT_FALSE(report.loader->fetched_batches) << "not counted is not 0";
  EXPECT_EQ(report.loader->cache, "");
  EXPECT_EQ(report.loader->epochs, 1);
}

TEST(LoaderFacts, ALengthThatIsKnownLaterCounts) {
  TimelineBuilder builder;
  for (const char* more : {"", R"(,"dataset_len":40)", R"(,"dataset_len":48)"}) {
    builder.fact(TimelineBuilder::kPid, run::facts::kLoader,
                 std::string(R"({"loader":1,"workers":0,"batch_size":4)") + more + "}");
  }
  builder.iterator(1, 0);
  LaneScript lane(500);
  lane.build(1, 1);
  for (int i = 0; i < 20; ++i) lane.draw(1, 20).train(10);
  const Analysis analysis = measure(builder.lane(lane).timeline());
  ASSERT_TRUE(analysis.loader);
  EXPECT_EQ(analysis.loader->dataset_len, 48);
}

TEST(InputBound, WhatPythonFetchedForTheNativeEngineIsTold) {
  const auto report_of = [](std::initializer_list<const char*> counts) {
    TimelineBuilder builder;
    for (const char* count : counts) {
      builder.fact(TimelineBuilder::kPid, run::facts::kLoader,
                   std::string(R"({"loader":1,"workers":0,"engine":"native",)") + count + "}");
    }
    builder.iterator(1, 0);
    LaneScript lane(500);
    lane.build(1, 1);
    for (int i = 0; i < 60; ++i) lane.draw(1, 20).train(10);
    return analyse(builder.lane(lane).timeline());
  };
  const run::Report none = report_of({R"("fetched_batches":0)"});
  EXPECT_EQ(none.loader->fetched_batches, 0);
  EXPECT_THAT(none.notes, testing::Not(testing::Contains(HasSubstr("Python"))));
  const run::Report some =
      report_of({R"("fetched_batches":0)", R"("fetched_batches":1,"fetched_reason":"sample 7: x")",
                 R"("fetched_batches":5,"fetched_reason":"sample 7: x")"});
  EXPECT_EQ(some.loader->fetched_batches, 5) << "the latest count";
  EXPECT_EQ(some.loader->fetched_reason, "sample 7: x");
  EXPECT_THAT(some.notes, testing::Contains("Python made 5 batches that the native engine could "
                                            "not, the first: sample 7: x"));
}

TEST(EpochRestart, TheFirstBatchComesLate) {
  const run::Report report = epochs_of(41, false);  // 40 of 150 ms
  const run::Finding* finding = finding_of(report, "epoch_restart");
  ASSERT_NE(finding, nullptr);
  EXPECT_NEAR(finding->share, 40.0 / 150, 0.01);
  EXPECT_EQ(finding->severity, Severity::kCritical);
  EXPECT_THAT(finding->summary, HasSubstr("40 ms late"));
  EXPECT_EQ(report.verdict.finding, "epoch_restart");
  EXPECT_EQ(finding_of(report, "input_bound"), nullptr) << "its part is below 10 %";
}

TEST(EpochRestart, BesideALoaderThatIsTooSlowAnyway) {
  const run::Report report = epochs_of(60, false, 8, 30);
  EXPECT_EQ(report.verdict.finding, "input_bound");
  EXPECT_EQ(finding_of(report, "epoch_restart"), nullptr);
}

TEST(EpochRestart, Silent) {
  EXPECT_EQ(finding_of(epochs_of(41, true), "epoch_restart"), nullptr);
  EXPECT_NE(finding_of(epochs_of(41, true), "input_bound"), nullptr);
  EXPECT_EQ(finding_of(epochs_of(12, false), "epoch_restart"), nullptr) << "11 of 121 ms";
  EXPECT_NE(finding_of(epochs_of(14, false), "epoch_restart"), nullptr) << "13 of 123 ms";
  EXPECT_EQ(finding_of(epochs_of(41, false, 1), "epoch_restart"), nullptr) << "one epoch";
}

}  // namespace
}  // namespace flatout::analyse
