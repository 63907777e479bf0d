// The rules that need a GPU, or pressure that no test machine has: each on both
// sides of its thresholds, on synthetic timelines (tests/zoo/synthetic_rules.toml
// says so to docs/accuracy.md).
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <string_view>
#include <vector>

#include "analyse/analyse.h"
#include "analyse/device/device_rules_table.h"

namespace flatout::analyse::device_rules {
namespace {

using run::Severity;
using ::testing::HasSubstr;

constexpr std::string_view kNone = "none";

std::vector<Row> table() {
  std::vector<Row> rows;
  for (auto part : {copies_and_syncs(), kernels(), clocks(), owners(), host_memory()}) {
    rows.insert(rows.end(), part.begin(), part.end());
  }
  return rows;
}

std::string_view name_of(Severity severity) {
  return severity == Severity::kInfo ? "info" : severity == Severity::kWarn ? "warn" : "critical";
}

class DeviceRules : public testing::TestWithParam<Row> {};

TEST_P(DeviceRules, AsTheTableSays) {
  const Row& row = GetParam();
  TimelineBuilder builder = gpu_run(row.loop, row.state);
  row.more(builder);
  const run::Report report = analyse(builder.timeline());
  const auto found = std::ranges::find(report.findings, row.rule, &run::Finding::id);
  if (row.severity == kNone) {
    EXPECT_TRUE(found == report.findings.end()) << found->summary;
    return;
  }
  ASSERT_TRUE(found != report.findings.end());
  EXPECT_EQ(name_of(found->severity), row.severity) << found->summary;
  EXPECT_NEAR(found->share, row.share, 0.001) << found->summary;
  EXPECT_EQ(found->cause, row.cause);
  EXPECT_THAT(found->summary, HasSubstr(row.says));
  EXPECT_TRUE(found->summary.ends_with('.'));
  EXPECT_FALSE(found->tier.empty());
  EXPECT_THAT(found->tier, testing::StartsWith(row.tier));
  EXPECT_FALSE(found->evidence.empty());
  EXPECT_GT(found->confidence, 0.3);
}

INSTANTIATE_TEST_SUITE_P(Table, DeviceRules, testing::ValuesIn(table()),
                         [](const auto& row) { return row.param.name; });

TEST(DeviceRules, AHealthyGpuProgramIsQuiet) {
  for (const GpuState& state :
       {GpuState{}, GpuState{.sm = 0.9, .tensor = 0.5, .others = 0, .others_processes = 0},
        GpuState{.memory_used = 39.9e9, .power = 399, .by_power = 0.8}}) {
    TimelineBuilder builder = gpu_run({}, state);
    precision("bfloat16")(builder);
    optimizer(true)(builder);
    const run::Report report = analyse(builder.timeline());
    EXPECT_EQ(report.verdict.finding, "compute_bound");
    EXPECT_EQ(report.verdict.tier, "nvml");
    for (const run::Finding& finding : report.findings) {
      EXPECT_EQ(finding.severity, Severity::kInfo) << finding.summary;
    }
  }
}

TEST(DeviceRules, LaunchesOfAnIdleDeviceAreNoCompute) {
  // Host phases and events would call it compute; the driver sees gaps.
  TimelineBuilder builder =
      gpu_run({.launch = 17, .optimizer = 1, .sync = 0.7}, {.utilization = 0.4});
  auto& process = builder.timeline().processes[kPid];
  for (std::int64_t t = ns(500); t < builder.timeline().last_ns; t += ns(20)) {
    process.device_phases.push_back(
        {.t_ns = t, .duration_ns = ns(19), .phase = run::Phase::kForward});
  }
  const run::Report report = analyse(builder.timeline());
  EXPECT_EQ(report.verdict.finding, "launch_bound");
  EXPECT_THAT(report.verdict.summary, HasSubstr("idles for at least 50 %"));
}

TEST(DeviceRules, TheLargestShareIsTheVerdict) {
  TimelineBuilder builder = gpu_run({.wait = 11, .h2d = 3, .sync = 1.3}, {.utilization = 0.2});
  pageable_copy()(builder);
  const run::Report report = analyse(builder.timeline());
  EXPECT_EQ(report.verdict.finding, "input_bound");
  ASSERT_GE(report.findings.size(), 2U);
  EXPECT_EQ(report.findings[1].id, "copy_bound");
}

}  // namespace
}  // namespace flatout::analyse::device_rules
