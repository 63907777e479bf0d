// A run whose records are counted and can no longer be read: of a file that somebody made, or of a
// disk that fails. What they would have said is absent, and the rest is known.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <memory>
#include <vector>

#include "analyse/analyse.h"
#include "analyse/charts/charts.h"
#include "analyse/loop_fixture.h"

namespace flatout::analyse {
namespace {

using run::Metric;

template <typename T>
class Unreadable final : public run::RecordSource<T> {
 public:
  explicit Unreadable(const run::Records<T>& records)
      : blocks_{{records.first_ns(), records.last_ns(), records.size()}} {}
  std::span<const run::RecordBlockInfo> blocks() const override { return blocks_; }
  std::vector<T> load(std::size_t) const override { return {}; }

 private:
  std::vector<run::RecordBlockInfo> blocks_;
};

template <typename T>
void make_unreadable(run::Records<T>& records) {
  if (!records.empty()) records = run::Records<T>(std::make_shared<Unreadable<T>>(records));
}

run::Timeline readable() {
  TimelineBuilder run = run_of({.wait = 5, .batch_wall = 5, .batch_cpu = 4});
  run.timeline().info.memory_bytes = 1'000;
  run.timeline().info.memory_limit_bytes = 500;
  run.series(Metric::kCgroupMemoryUsed, run::kHostSource, 400);
  run.series(Metric::kCgroupMemoryOomKills, run::kHostSource, 0);
  run.series(Metric::kHostMemoryAvailable, run::kHostSource, 300);
  run.series(Metric::kHostCpuCoresUsed, run::kHostSource, 2);
  run.series(Metric::kHostShmSize, run::kHostSource, 100);
  run.series(Metric::kHostShmUsed, run::kHostSource, 10);
  run.series(Metric::kProcessCpuCoresUsed, TimelineBuilder::kPid, 1);
  run.series(Metric::kProcessMemoryRss, TimelineBuilder::kPid, 300);
  run.series(Metric::kDeviceUtilization, run::device_source(0), 0.5);
  // What is reported is the last reading minus the first.
  run.timeline().series[{Metric::kCgroupMemoryOomKills, run::kHostSource}].own().back().value = 2;
  return run.timeline();
}

TEST(UnreadableRecords, WithThemThereIsWhatFollowsFromThem) {
  const run::Timeline timeline = readable();
  const Analysis analysis = measure(timeline);
  EXPECT_EQ(analysis.host_memory.oom_kills, 2);
  EXPECT_EQ(analysis.contention.memory_used_ratio, 0.8);
  EXPECT_TRUE(analysis.contention.run_cores);
  EXPECT_EQ(report_of(timeline, analysis, {}).host.memory_peak_bytes, 400);
  ASSERT_TRUE(analysis.loader);
  EXPECT_TRUE(analysis.loader->first_fetch_cpu_ns);
}

TEST(UnreadableRecords, OfSeriesAreAbsent) {
  run::Timeline timeline = readable();
  for (auto& [key, points] : timeline.series) make_unreadable(points);
  const Analysis analysis = measure(timeline);
  EXPECT_FALSE(analysis.host_memory.oom_kills);
  EXPECT_FALSE(analysis.contention.memory_used_ratio);
  EXPECT_FALSE(analysis.contention.run_cores);
  EXPECT_FALSE(analysis.cut.steps.empty());
  const run::Report report = report_of(timeline, analysis, {});
  EXPECT_FALSE(report.host.memory_peak_bytes);
  EXPECT_FALSE(report.verdict.summary.empty());
  for (const run::Chart& chart : charts(timeline, analysis).series) {
    EXPECT_TRUE(chart.points.empty()) << chart.metric;
  }
}

TEST(UnreadableRecords, OfOneSeriesLeaveTheOthers) {
  run::Timeline timeline = readable();
  timeline.info.memory_limit_bytes = 0;
  make_unreadable(timeline.series[{Metric::kCgroupMemoryUsed, run::kHostSource}]);
  const Analysis analysis = measure(timeline);
  EXPECT_EQ(analysis.contention.memory_used_ratio, 0.7);
  EXPECT_EQ(report_of(timeline, analysis, {}).host.memory_peak_bytes, 300);
}

TEST(UnreadableRecords, OfBatchesAndEventsAreAbsent) {
  run::Timeline timeline = readable();
  run::ProcessTrack& process = timeline.processes.at(TimelineBuilder::kPid);
  process.counted = run::phase_counts(process);
  make_unreadable(process.batches);
  const Analysis without_batches = measure(timeline);
  EXPECT_FALSE(without_batches.cut.steps.empty());
  ASSERT_TRUE(without_batches.loader);
  EXPECT_FALSE(without_batches.loader->first_fetch_cpu_ns);
  (void)report_of(timeline, without_batches, {});

  make_unreadable(process.phases);
  const Analysis without_events = measure(timeline);
  EXPECT_EQ(without_events.no_steps, NoSteps::kNoUpdate);
  (void)report_of(timeline, without_events, {});
  (void)charts(timeline, without_events);
}

TEST(UnreadableRecords, AreNotedInTheReportThatAskedForThem) {
  run::Timeline timeline = readable();
  timeline.notes = {"known from the start"};
  timeline.later_notes = [] { return std::vector<std::string>{"found out later"}; };
  EXPECT_THAT(analyse(timeline).notes,
              testing::IsSupersetOf({"known from the start", "found out later"}));
}

}  // namespace
}  // namespace flatout::analyse
