// On CUDA the host's troubles count only as far as the device idles because of them: each rule
// about the host, on a device that is kept busy, on one that idles for a while, and on the CPU.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <functional>
#include <string>
#include <vector>

#include "analyse/analyse.h"
#include "analyse/device/gpu_fixture.h"
#include "analyse/loop_fixture.h"

namespace flatout::analyse {
namespace {

using run::Metric;
using ::testing::HasSubstr;
using ::testing::Not;

constexpr pid_t kPid = TimelineBuilder::kPid;
constexpr double kNearlyAll = 0.99;

struct Trouble {
  std::string rule;
  Loop loop;
  double host_share;  // what the host loses, and the CPU's finding claims
  std::function<void(TimelineBuilder&)> more = [](TimelineBuilder&) {};
};

void PrintTo(const Trouble& trouble, std::ostream* out) { *out << trouble.rule; }

auto with(Metric metric, std::int32_t source, double value) {
  return [=](TimelineBuilder& run) { run.series(metric, source, value); };
}

std::vector<Trouble> troubles() {
  const Loop workers = {.workers = 8, .wait = 0.3, .batch_wall = 70, .batch_cpu = 63};
  return {
      {"cpu_contention", {.wait = 0.3}, 0.4, with(Metric::kProcessCpuRunDelay, kPid, 0.4)},
      {"too_many_workers", workers, 0.4, with(Metric::kProcessCpuRunDelay, kPid, 0.4)},
      {"memory_pressure", {.wait = 0.3}, 0.4, with(Metric::kHostPressureMemoryFull, 0, 0.4)},
      {"checkpoint_stall", {.compute = 6, .save = 4}, 0.4},
      {"host_bound", {.compute = 6, .other = 4}, 0.4},
      {"input_bound", {.wait = 4, .compute = 6}, 0.4},
      {"epoch_gap", {.steps = 200, .compute = 10, .epoch = 10, .gap = 40}, 0.4},
  };
}

TimelineBuilder on_cpu(const Trouble& trouble) {
  TimelineBuilder run = run_of(trouble.loop);
  trouble.more(run);
  return run;
}

TimelineBuilder on_cuda(const Trouble& trouble) {
  TimelineBuilder run = on_cpu(trouble);
  run.fact(kPid, run::facts::kEnvironment, R"({"torch":"2.13.0","cuda":"12.4","device":"cuda"})");
  run.fact(kPid, run::facts::kModel, R"({"class":"Net","device":"cuda:0"})");
  return run;
}

run::Report report_at(const Trouble& trouble, double busy) {
  TimelineBuilder run = on_cuda(trouble);
  add_gpu(run, {.utilization = busy});
  return analyse(run.timeline());
}

const run::Finding* found(const run::Report& report, const std::string& rule) {
  const auto finding = std::ranges::find(report.findings, rule, &run::Finding::id);
  return finding == report.findings.end() ? nullptr : &*finding;
}

class DeviceIdle : public testing::TestWithParam<Trouble> {};

TEST_P(DeviceIdle, OfABusyDeviceNothingIsLost) {
  const run::Report report = report_at(GetParam(), kNearlyAll);
  EXPECT_EQ(report.verdict.finding, "compute_bound") << report.verdict.summary;
  const run::Finding* finding = found(report, GetParam().rule);
  if (finding == nullptr) return;
  EXPECT_EQ(finding->severity, run::Severity::kInfo);
  EXPECT_LE(finding->share, 1 - kNearlyAll);
}

TEST_P(DeviceIdle, NoMoreIsClaimedThanItIdles) {
  const run::Report report = report_at(GetParam(), 0.75);
  const run::Finding* finding = found(report, GetParam().rule);
  ASSERT_NE(finding, nullptr);
  EXPECT_NEAR(finding->share, GetParam().rule == "epoch_gap" ? 0.25 * 1.4 : 0.25, 0.011);
  EXPECT_EQ(report.verdict.finding, GetParam().rule);
}

TEST_P(DeviceIdle, WhereNobodyKnowsHowBusyItIsTheHostsShareStands) {
  TimelineBuilder run = on_cuda(GetParam());
  const run::Report report = analyse(run.timeline());
  const run::Finding* finding = found(report, GetParam().rule);
  ASSERT_NE(finding, nullptr);
  EXPECT_NEAR(finding->share, GetParam().host_share, 0.011);
}

TEST_P(DeviceIdle, WhereTheCpuIsTheDeviceAllOfItIsLost) {
  TimelineBuilder run = on_cpu(GetParam());
  const run::Report report = analyse(run.timeline());
  const run::Finding* finding = found(report, GetParam().rule);
  ASSERT_NE(finding, nullptr);
  EXPECT_NEAR(finding->share, GetParam().host_share, 0.011);
  EXPECT_THAT(finding->summary, Not(HasSubstr("idles")));
}

INSTANTIATE_TEST_SUITE_P(Rules, DeviceIdle, testing::ValuesIn(troubles()),
                         [](const auto& row) { return row.param.rule; });

TEST(DeviceIdleWords, TheHostsShareAndTheDevices) {
  const run::Report report = report_at(troubles().front(), 0.75);
  const run::Finding* finding = found(report, "cpu_contention");
  ASSERT_NE(finding, nullptr);
  EXPECT_THAT(finding->summary, HasSubstr("waits for a core 40 % of the time"));
  EXPECT_THAT(finding->summary, HasSubstr("; the GPU idles 25 % of the time."));
  const auto of_device = std::ranges::find(finding->evidence, std::string("device.utilization"),
                                           &run::Evidence::metric);
  ASSERT_NE(of_device, finding->evidence.end());
  EXPECT_NEAR(of_device->value, 0.75, 1e-9);
}

// Between two events all counts as work, also the wait for a thread that has no core to launch on.
TEST(DeviceIdleWords, EventsDoNotSayThatALaunchIsNotLate) {
  TimelineBuilder run = on_cuda(troubles().front());
  auto& process = run.timeline().processes[kPid];
  for (std::int64_t t = ns(500); t < run.timeline().last_ns; t += ns(10)) {
    process.device_phases.push_back(
        {.t_ns = t, .duration_ns = ns(10), .phase = run::Phase::kForward});
  }
  const run::Report report = analyse(run.timeline());
  const run::Finding* finding = found(report, "cpu_contention");
  ASSERT_NE(finding, nullptr);
  EXPECT_NEAR(finding->share, 0.4, 0.011);
}

TEST(DeviceIdleWords, OthersOnTheMachineStayANote) {
  TimelineBuilder run = on_cuda(troubles().front());
  for (const auto& [metric, value] : {std::pair{Metric::kHostCpuCoresUsed, 4.0},
                                      std::pair{Metric::kHostCpuStolen, 4.0 * 0.3 / 0.7}}) {
    run.series(metric, run::kHostSource, value);
  }
  run.timeline().series.erase({Metric::kProcessCpuRunDelay, kPid});
  add_gpu(run, {.utilization = kNearlyAll});
  const run::Report report = analyse(run.timeline());
  EXPECT_EQ(report.verdict.finding, "compute_bound");
  const run::Finding* finding = found(report, "cpu_contention");
  ASSERT_NE(finding, nullptr);
  EXPECT_TRUE(finding->outside);
  EXPECT_THAT(report.notes, testing::Contains(HasSubstr("its hypervisor takes 30 %")));
}

}  // namespace
}  // namespace flatout::analyse
