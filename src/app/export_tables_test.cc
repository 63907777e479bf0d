#include "app/export_tables.h"

#include <gtest/gtest.h>

#include <sstream>
#include <vector>

#include "run/facts.h"

namespace flatout::app {
namespace {

constexpr std::int64_t kMs = 1'000'000;

// A training process of `steps` steps: 2 ms of data, 3 ms of optimizer.
run::Timeline run_of(int steps) {
  run::Timeline timeline;
  timeline.info.id = "test";
  timeline.info.started_ns = 1000 * kMs;
  timeline.info.started_wall_ns = 1'763'690'570'123 * kMs;
  run::ProcessTrack& process = timeline.processes[7];
  process.proc.pid = 7;
  process.proc.role = run::ProcRole::kMain;
  std::int64_t t = 1100 * kMs;
  const auto span = [&](run::Phase phase, std::int64_t ms, std::uint32_t id) {
    process.phases.push_back({t, 0, run::kGradEnabled, id, 0, phase, true});
    t += ms * kMs;
    process.phases.push_back({t, phase == run::Phase::kDataWait ? 4U : 0U, 0, id, 0, phase, false});
  };
  for (int i = 0; i < steps; ++i) {
    span(run::Phase::kDataWait, 2, 1);
    span(run::Phase::kOptimizer, 3, 0);
  }
  process.lanes.push_back({0, 7, true});
  timeline.last_ns = t;
  return timeline;
}

std::vector<std::string> lines(std::string_view table, const run::Timeline& timeline) {
  std::string text;
  const auto done = write_table(table, timeline, [&](std::string_view piece) {
    text += piece;
    return base::Result<void>{};
  });
  EXPECT_TRUE(done);
  std::vector<std::string> out;
  std::istringstream rows(text);
  for (std::string row; std::getline(rows, row);) out.push_back(row);
  return out;
}

TEST(ExportTables, StepsHaveTheirPhases) {
  const auto rows = lines("steps", run_of(30));
  ASSERT_EQ(rows.size(), 31U);
  EXPECT_EQ(rows[0],
            "step,start_s,start_time,end_s,own_ms,warm_up,samples,updates,draws,data_wait_ms,"
            "h2d_ms,forward_ms,backward_ms,optimizer_ms,comm_ms,sync_ms,checkpoint_ms,other_ms");
  EXPECT_EQ(rows[1],
            "1,0.100000000,2025-11-21T02:02:50.223Z,0.105000000,5,1,4,1,1,2,0,0,0,3,0,0,0,0");
  EXPECT_NE(rows[30].find(",5,0,4,1,1,2,"), std::string::npos) << "the last one is steady";
}

TEST(ExportTables, ARunWithoutAnythingHasHeaders) {
  const run::Timeline nothing;
  for (const std::string_view table : kTables) {
    const auto rows = lines(table, nothing);
    ASSERT_EQ(rows.size(), 1U) << table;
    EXPECT_NE(rows[0].find(','), std::string::npos);
  }
  EXPECT_FALSE(
      write_table("nonsense", nothing, [](std::string_view) { return base::Result<void>{}; }));
}

TEST(ExportTables, SeriesAreLong) {
  run::Timeline timeline = run_of(0);
  timeline.series[{run::Metric::kDevicePower, run::device_source(1)}] = {{1100 * kMs, 96.5}};
  timeline.series[{run::Metric::kHostMemoryAvailable, run::kHostSource}] = {{1100 * kMs, 0.0 / 1}};
  timeline.series[{run::Metric::kProcessMemoryRss, 42}] = {{900 * kMs, 1.5}};
  const auto rows = lines("series", timeline);
  ASSERT_EQ(rows.size(), 4U);
  EXPECT_EQ(rows[1], "0.100000000,2025-11-21T02:02:50.223Z,host.memory.available,host,0");
  EXPECT_EQ(rows[2], "-0.100000000,2025-11-21T02:02:50.023Z,process.memory.rss,pid 42,1.5");
  EXPECT_EQ(rows[3], "0.100000000,2025-11-21T02:02:50.223Z,device.power,GPU 1,96.5");
}

TEST(ExportTables, WhatABatchDoesNotTellIsEmpty) {
  run::Timeline timeline = run_of(0);
  run::Batch batch;
  batch.begin_ns = 1000 * kMs;
  batch.end_ns = 1010 * kMs;
  batch.read_bytes = run::kUnknownBytes;
  batch.disk_bytes = 5;
  batch.samples = 4;
  batch.stages = {{"read", 4, 2 * kMs}, {"a \"b\",\nc", 4, 6 * kMs}};
  timeline.processes[9].batches = {batch};
  timeline.processes[9].proc.worker_id = 0;
  const auto rows = lines("batches", timeline);
  ASSERT_GE(rows.size(), 2U);
  EXPECT_EQ(rows[1] + "\n" + rows[2],
            "9,0,0,0,0.000000000,2025-11-21T02:02:50.123Z,0.010000000,4,0,0,0,,,5,,"
            "\"a \"\"b\"\",\nc\",6");
}

TEST(ExportTables, ValuesKeepWhatIsNotANumber) {
  run::Timeline timeline = run_of(0);
  timeline.processes[7].values = {
      {1000 * kMs, 0.5, 3, 0, "loss"},
      {1000 * kMs, std::numeric_limits<double>::quiet_NaN(), run::NamedValue::kNoStep, 2, "loss"}};
  const auto rows = lines("values", timeline);
  ASSERT_EQ(rows.size(), 3U);
  EXPECT_EQ(rows[1], "0.000000000,2025-11-21T02:02:50.123Z,7,loss,3,0.5,0");
  EXPECT_EQ(rows[2], "0.000000000,2025-11-21T02:02:50.123Z,7,loss,,NaN,2");
}

TEST(ExportTables, ALongTableComesInPiecesAndStopsAtAnError) {
  run::Timeline timeline = run_of(0);
  auto& points = timeline.series[{run::Metric::kHostIowait, run::kHostSource}];
  for (int i = 0; i < 50'000; ++i) points.push_back({i * kMs, 1});
  int pieces = 0;
  ASSERT_TRUE(write_table("series", timeline, [&](std::string_view) {
    ++pieces;
    return base::Result<void>{};
  }));
  EXPECT_GT(pieces, 2);
  pieces = 0;
  const auto full = write_table("series", timeline, [&](std::string_view) -> base::Result<void> {
    ++pieces;
    return base::fail(base::ErrorCode::kIo, "disk full");
  });
  EXPECT_FALSE(full);
  EXPECT_EQ(pieces, 1);
}

}  // namespace
}  // namespace flatout::app
