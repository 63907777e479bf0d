// A table of loops and the verdict that each must get.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <functional>
#include <string>
#include <vector>

#include "analyse/analyse.h"
#include "analyse/loop_fixture.h"

namespace flatout::analyse {
namespace {

using run::Metric;
using run::Phase;
using ::testing::HasSubstr;

struct Row {
  std::string name;
  Loop loop;
  std::string finding, cause;
  std::string says;  // part of the summary
  bool quiet = false;
  std::function<void(TimelineBuilder&)> more = [](TimelineBuilder&) {};
};

void PrintTo(const Row& row, std::ostream* out) { *out << row.name; }

std::vector<Row> verdict_table() {
  return {
      {"NoWorkers",
       {.wait = 50, .batch_wall = 49, .batch_cpu = 48},
       "input_bound",
       "single_process_loading",
       "the CPU waits for data 83 % of each step, because samples are read and transformed inside "
       "the training process (num_workers=0, /src/train.py:41), mostly in JPEG decode (60 %)."},
      {"NoWorkersThatSleep",
       {.wait = 50, .batch_wall = 49, .batch_cpu = 1},
       "input_bound",
       "single_process_loading",
       "num_workers=0"},
      {"NoWorkersCollate",
       {.wait = 50, .batch_wall = 49, .batch_cpu = 48, .collate = 40},
       "input_bound",
       "collate",
       "collate"},
      {"WorkersOnCpu",
       {.workers = 2, .wait = 30, .batch_wall = 78, .batch_cpu = 75, .hand_over = 1},
       "input_bound",
       "worker_cpu",
       "computing"},
      {"WorkersWithoutACore",
       {.workers = 2, .wait = 30, .batch_wall = 78, .batch_cpu = 30, .hand_over = 1},
       "input_bound",
       "worker_cpu",
       "computing",
       false,
       [](TimelineBuilder& run) {
         run.series(Metric::kProcessCpuRunDelay, 200, 0.5);
         run.series(Metric::kProcessCpuRunDelay, 201, 0.5);
       }},
      {"WorkersOnDisk",
       {.workers = 2,
        .wait = 30,
        .batch_wall = 78,
        .batch_cpu = 5,
        .hand_over = 1,
        .disk_bytes = 9'000'000},
       "input_bound",
       "storage_io",
       "disk"},
      {"WorkersInUninterruptibleSleep",
       {.workers = 2, .wait = 30, .batch_wall = 78, .batch_cpu = 5, .hand_over = 1},
       "input_bound",
       "storage_io",
       "disk",
       false,
       [](TimelineBuilder& run) { run.series(Metric::kProcessIoDiskWait, 200, 0.7); }},
      {"WorkersFarAway",
       {.workers = 2, .wait = 30, .batch_wall = 78, .batch_cpu = 5, .hand_over = 1},
       "input_bound",
       "remote_wait",
       "neither CPU nor disk"},
      {"WorkersCollate",
       {.workers = 2, .wait = 30, .batch_wall = 78, .batch_cpu = 70, .collate = 60, .hand_over = 1},
       "input_bound",
       "collate",
       "collate"},
      {"LateHandOverOfBusyWorkers",
       {.workers = 2, .wait = 30, .batch_wall = 78, .batch_cpu = 75, .hand_over = 25},
       "input_bound",
       "worker_cpu",
       "computing"},
      {"HandOver",
       {.workers = 2, .wait = 30, .batch_wall = 8, .batch_cpu = 7, .hand_over = 25},
       "input_bound",
       "ipc_transfer",
       "on the way"},
      {"BarelyInputBound",
       {.wait = 1.2, .batch_wall = 1},
       "input_bound",
       "single_process_loading",
       ""},
      {"HandMadeBatches", {.other = 6}, "host_bound", "python_in_loop", "Python code"},
      {"NoCore",
       {.wait = 0.3},
       "cpu_contention",
       "",
       "waits for a core 40 %",
       false,
       [](TimelineBuilder& run) {
         run.series(Metric::kProcessCpuRunDelay, TimelineBuilder::kPid, 0.4);
       }},
      {"Throttled",
       {.wait = 0.3},
       "cpu_contention",
       "cpu_quota",
       "quota",
       false,
       [](TimelineBuilder& run) { run.series(Metric::kCgroupCpuThrottled, 0, 0.3); }},
      {"ContentionByOwnWorkers",
       {.workers = 2, .wait = 30, .batch_wall = 78, .batch_cpu = 75, .hand_over = 1},
       "input_bound",
       "worker_cpu",
       "computing",
       false,
       [](TimelineBuilder& run) {
         run.series(Metric::kProcessCpuRunDelay, TimelineBuilder::kPid, 0.3);
       }},
      {"EpochGaps",
       {.workers = 1, .wait = 0.3, .epoch = 10, .gap = 80},
       "epoch_gap",
       "",
       "1 loader worker is started anew"},
      {"Checkpoints", {.wait = 0.3, .save = 4}, "checkpoint_stall", "", "torch.save"},
      {"Healthy", {.wait = 0.3, .other = 0.2}, "compute_bound", "", "computes", true},
      {"ShortEpochsCheapGaps", {.wait = 0.3, .epoch = 10, .gap = 5}, "compute_bound", "", "", true},
      {"NothingStandsOut", {.wait = 0.9, .other = 1.9, .save = 0}, "unexplained", "", "", true},
  };
}

class Verdicts : public testing::TestWithParam<Row> {};

TEST_P(Verdicts, AsTheTableSays) {
  const Row& row = GetParam();
  TimelineBuilder builder = run_of(row.loop);
  row.more(builder);
  if (row.name == "NothingStandsOut") {  // 7.3 ms of compute beside a copy that has no rule
    LaneScript lane(500);
    for (int i = 0; i < 60; ++i) lane.draw(1, 0.9).train(7.3).span(Phase::kH2d, 1.9);
    builder = TimelineBuilder();
    builder.lane(lane);
  }
  const run::Report report = analyse(builder.timeline());
  EXPECT_EQ(report.verdict.finding, row.finding);
  EXPECT_EQ(run::cause_name(report.verdict.cause), row.cause);
  EXPECT_THAT(report.verdict.summary, HasSubstr(row.says));
  EXPECT_TRUE(report.verdict.summary.ends_with('.'));
  EXPECT_GE(report.verdict.confidence, 0.5);
  for (const run::Finding& finding : report.findings) {
    EXPECT_FALSE(row.quiet && finding.severity != run::Severity::kInfo) << finding.id;
    EXPECT_FALSE(finding.evidence.empty());
    EXPECT_GE(finding.share, 0);
    EXPECT_LE(finding.share, 1);
  }
  double sum = 0;
  for (const auto& [name, share] : report.steps->phases) sum += share;
  EXPECT_NEAR(sum, 1, 1e-12);
}

INSTANTIATE_TEST_SUITE_P(Table, Verdicts, testing::ValuesIn(verdict_table()),
                         [](const auto& row) { return row.param.name; });

// What advice may promise of more workers: cold files are read from the disk once, and yet it is
// the cores that count.
TEST(InputBound, WaitsForStorageWhereTheFetchWaitsAndTheDiskShows) {
  const auto detail = [](double batch_cpu, std::uint64_t disk_bytes) {
    const run::Report report = analyse(
        run_of({.wait = 30, .batch_wall = 28, .batch_cpu = batch_cpu, .disk_bytes = disk_bytes})
            .timeline());
    const auto found = std::ranges::find(report.findings, "input_bound", &run::Finding::id);
    EXPECT_NE(found, report.findings.end());
    EXPECT_EQ(found->cause, run::Cause::kSingleProcessLoading);
    return run::detail_of<run::InputDetail>(*found);
  };
  EXPECT_TRUE(detail(3, 9'000'000).waits_for_storage);
  EXPECT_FALSE(detail(26, 9'000'000).waits_for_storage) << "it computes";
  EXPECT_FALSE(detail(3, 0).waits_for_storage) << "it waits for something else";
  EXPECT_FALSE(detail(3, 0).engine);
}

}  // namespace
}  // namespace flatout::analyse
