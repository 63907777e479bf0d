// The rules that need a GPU, or pressure that no test machine has: each on both
// sides of its thresholds, on synthetic timelines (tests/zoo/synthetic_rules.toml
// says so to docs/accuracy.md).
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <functional>
#include <string>
#include <vector>

#include "analyse/analyse.h"
#include "analyse/gpu_fixture.h"

namespace flatout::analyse {
namespace {

using run::Metric;
using run::Severity;
using ::testing::HasSubstr;

constexpr pid_t kPid = TimelineBuilder::kPid;
constexpr std::string_view kNone = "none";

struct Row {
  std::string name;
  std::string rule;
  GpuLoop loop = {};
  GpuState state = {};
  std::function<void(TimelineBuilder&)> more = [](TimelineBuilder&) {};
  std::string severity;  // "none" = the rule must be silent
  double share = 0;
  std::string cause = {};
  std::string says = {};
  std::string tier = {};
};

void PrintTo(const Row& row, std::ostream* out) { *out << row.name; }

auto fact(std::string_view key, std::string json) {
  return [key, json](TimelineBuilder& run) { run.fact(kPid, key, json); };
}
auto pageable_copy() {
  return fact(run::facts::kCopy, R"({"phase":"h2d","at":"/s/t.py:58","pinned":false,"bytes":9e6})");
}
auto precision(std::string autocast, bool tf32 = false) {
  return fact(run::facts::kPrecision, R"({"autocast":")" + autocast + R"(","tf32_matmul":)" +
                                          (tf32 ? "true" : "false") +
                                          R"(,"float32_matmul_precision":"highest"})");
}
auto optimizer(bool foreach, bool fused = false) {
  return fact(run::facts::kOptimizer, std::string(R"({"class":"AdamW","built_at":"/s/t.py:50",)") +
                                          R"("tensors":161,"foreach":)" +
                                          (foreach ? "true" : "false") + R"(,"fused":)" +
                                          (fused ? "true" : "false") + "}");
}
auto host(Metric metric, double value, std::int32_t source = run::kHostSource) {
  return [=](TimelineBuilder& run) { run.series(metric, source, value); };
}
template <typename... Changes>
auto all(Changes... changes) {
  return [=](TimelineBuilder& run) { (changes(run), ...); };
}
void oom_kill(TimelineBuilder& run) {
  run.series(Metric::kCgroupMemoryOomKills, run::kHostSource, 3);
  run.timeline().series[{Metric::kCgroupMemoryOomKills, run::kHostSource}].back().value = 4;
}
void cpu_trains(TimelineBuilder& run, const char* cuda) {
  auto& facts = run.timeline().processes[kPid].facts;
  std::erase_if(facts, [](const run::Fact& f) {
    return f.key == run::facts::kModel || f.key == run::facts::kEnvironment;
  });
  run.fact(kPid, run::facts::kModel, R"({"class":"Net","device":"cpu"})");
  run.fact(kPid, run::facts::kEnvironment,
           std::string(R"({"torch":"2.13.0",)") + cuda + R"("device":"cpu"})");
}
void cpu_with_cuda(TimelineBuilder& run) { cpu_trains(run, R"("cuda":"12.4",)"); }
void cpu_without_cuda(TimelineBuilder& run) { cpu_trains(run, ""); }

// Compute for 18 of 20 ms, on the CPU, with the GPU idle.
constexpr GpuLoop kOnCpu = {.h2d = 0, .launch = 16, .optimizer = 2, .sync = 0, .other = 1.8};
GpuState idle_gpu() {
  GpuState state;
  state.utilization = 0;
  state.memory_used = 4e8;
  state.own_memory.reset();
  return state;
}

std::vector<Row> copies_and_syncs() {
  return {
      {.name = "CopyPageable",
       .rule = "copy_bound",
       .loop = {.h2d = 3, .sync = 12.1},
       .state = {.utilization = 0.8},
       .more = pageable_copy(),
       .severity = "warn",
       .share = 0.15,
       .cause = "pageable_memory",
       .says = "/s/t.py:58",
       .tier = "phases"},
      {.name = "CopyCritical",
       .rule = "copy_bound",
       .loop = {.h2d = 5, .sync = 10.1},
       .state = {.utilization = 0.7},
       .more = pageable_copy(),
       .severity = "critical",
       .share = 0.25,
       .cause = "pageable_memory"},
      {.name = "CopySmall",
       .rule = "copy_bound",
       .loop = {.h2d = 1.9, .sync = 13.2},
       .more = pageable_copy(),
       .severity = "none"},
      {.name = "CopyOverASlowLink",
       .rule = "copy_bound",
       .loop = {.h2d = 3, .sync = 12.1},
       .state = {.generation = 3, .width = 8},
       .severity = "warn",
       .share = 0.15,
       .cause = "pcie_degraded",
       .says = "PCIe 3.0 x8 of 4.0 x16"},
      {.name = "CopyOfMuch",
       .rule = "copy_bound",
       .loop = {.h2d = 3, .sync = 12.1},
       .severity = "warn",
       .share = 0.15,
       .cause = ""},
      {.name = "SyncThatIdlesTheDevice",
       .rule = "sync_bound",
       .loop = {.launch = 11, .sync = 7.0},
       .state = {.utilization = 0.5},
       .severity = "critical",
       .share = 0.35,
       .says = "idles until it gets new work",
       .tier = "nvml"},
      {.name = "SyncOfAHostThatHasTime",
       .rule = "sync_bound",
       .state = {.utilization = 0.97},
       .severity = "none"},
      {.name = "SyncBarely",
       .rule = "sync_bound",
       .state = {.utilization = 0.86},  // 12.5 % idle that nothing else explains
       .severity = "warn",
       .share = 0.125},
      {.name = "SyncBelow",
       .rule = "sync_bound",
       .state = {.utilization = 0.90},
       .severity = "none"},
      {.name = "SyncAfterWaitingForData",
       .rule = "sync_bound",
       .loop = {.wait = 11, .sync = 4.2},
       .state = {.utilization = 0.4},
       .severity = "none"},
      {.name = "SyncWhereNobodyKnowsHowBusy",
       .rule = "sync_bound",
       .state = {.utilization = {}},
       .severity = "none"},
      {.name = "InputOfABusyDevice",  // the host runs ahead and waits; the device does not
       .rule = "input_bound",
       .loop = {.wait = 8, .sync = 7.2},
       .state = {.utilization = 0.97},
       .severity = "none"},
      {.name = "InputOfAnIdleDevice",
       .rule = "input_bound",
       .loop = {.wait = 8, .sync = 7.2},
       .state = {.utilization = 0.7},
       .severity = "critical",
       .share = 0.3},
  };
}

std::vector<Row> kernels() {
  const GpuState tensor_idle = {.sm = 0.8, .tensor = 0.02};
  return {
      {.name = "Float32BySettings",
       .rule = "precision_unused",
       .more = precision("off"),
       .severity = "info",
       .share = 0,
       .says = "float32",
       .tier = "facts"},
      {.name = "Float32Measured",
       .rule = "precision_unused",
       .state = tensor_idle,
       .more = precision("off"),
       .severity = "warn",
       .share = 0.97,
       .says = "tensor cores are busy 2 %",
       .tier = "gpm"},
      {.name = "TensorCoresAtWork",
       .rule = "precision_unused",
       .state = {.sm = 0.8, .tensor = 0.12},
       .more = precision("off"),
       .severity = "none"},
      {.name = "FewSmsAtWork",
       .rule = "precision_unused",
       .state = {.sm = 0.3, .tensor = 0.02},
       .more = precision("off"),
       .severity = "info"},
      {.name = "Autocast",
       .rule = "precision_unused",
       .state = tensor_idle,
       .more = precision("bfloat16"),
       .severity = "none"},
      {.name = "Tf32",
       .rule = "precision_unused",
       .state = tensor_idle,
       .more = precision("off", true),
       .severity = "none"},
      {.name = "NothingStated",
       .rule = "precision_unused",
       .state = tensor_idle,
       .severity = "none"},
      {.name = "OldDevice",
       .rule = "precision_unused",
       .state = tensor_idle,
       .more = all(precision("off"),
                   [](TimelineBuilder& run) { run.timeline().devices[0].capability = "7.5"; }),
       .severity = "none"},
      {.name = "Float32OfADeviceThatWaits",
       .rule = "precision_unused",
       .state = {.utilization = 0.79, .sm = 0.8, .tensor = 0.02},
       .more = precision("off"),
       .severity = "none"},
      {.name = "OptimizerTensorByTensor",
       .rule = "unfused_optimizer",
       .loop = {.optimizer = 3, .sync = 12.7},
       .more = optimizer(false),
       .severity = "warn",
       .share = 0.15,
       .says = "AdamW takes 15 %"},
      {.name = "OptimizerTensorByTensorSmall",
       .rule = "unfused_optimizer",
       .loop = {.optimizer = 1.9, .sync = 13.8},
       .more = optimizer(false),
       .severity = "none"},
      {.name = "OptimizerGrouped",
       .rule = "unfused_optimizer",
       .loop = {.optimizer = 3, .sync = 12.7},
       .more = optimizer(true),
       .severity = "info",
       .share = 0.15},
      {.name = "OptimizerGroupedSmall",
       .rule = "unfused_optimizer",
       .loop = {.optimizer = 0.9, .sync = 14.8},
       .more = optimizer(true),
       .severity = "none"},
      {.name = "OptimizerFused",
       .rule = "unfused_optimizer",
       .loop = {.optimizer = 3, .sync = 12.7},
       .more = optimizer(false, true),
       .severity = "none"},
      {.name = "OptimizerOfADeviceThatWaits",
       .rule = "unfused_optimizer",
       .loop = {.optimizer = 3, .sync = 12.7},
       .state = {.utilization = 0.7},
       .more = optimizer(false),
       .severity = "none"},
      {.name = "Headroom",
       .rule = "memory_headroom",
       .state = {.memory_used = 10e9, .sm = 0.5},
       .severity = "info",
       .says = "at most 10 of 40 GB",
       .tier = "gpm"},
      {.name = "HeadroomByPower",
       .rule = "memory_headroom",
       .state = {.memory_used = 10e9, .power = 200},
       .severity = "info",
       .says = "50 % of its power limit",
       .tier = "nvml"},
      {.name = "HeadroomAtFullPower",
       .rule = "memory_headroom",
       .state = {.memory_used = 10e9, .power = 350},
       .severity = "none"},
      {.name = "HeadroomAtFullSms",
       .rule = "memory_headroom",
       .state = {.memory_used = 10e9, .power = 200, .sm = 0.85},
       .severity = "none"},
      {.name = "MemoryHalfFull",
       .rule = "memory_headroom",
       .state = {.memory_used = 20.1e9, .sm = 0.5},
       .severity = "none"},
      {.name = "HeadroomOfADeviceThatWaits",
       .rule = "memory_headroom",
       .state = {.utilization = 0.5, .memory_used = 10e9, .sm = 0.3},
       .severity = "none"},
  };
}

std::vector<Row> clocks() {
  return {
      {.name = "Hot",
       .rule = "throttled",
       .state = {.utilization = 0.9, .clock = 1000, .thermal = 0.5},
       .severity = "critical",
       .share = 0.225,  // half of the time at half of the clock, nine tenths of the step
       .cause = "thermal",
       .says = "heat holds the GPU's clocks down 50 %",
       .tier = "nvml"},
      {.name = "WarmClocksNearlyFull",
       .rule = "throttled",
       .state = {.clock = 1900, .thermal = 0.5},
       .severity = "info",
       .share = 0.024,
       .cause = "thermal"},
      {.name = "NearItsLimit",
       .rule = "throttled",
       .state = {.temperature = 83},
       .severity = "info",
       .cause = "thermal",
       .says = "reaches 83 C; from 85 C on"},
      {.name = "Cool", .rule = "throttled", .state = {.temperature = 81}, .severity = "none"},
      {.name = "ThrottledSeldom",
       .rule = "throttled",
       .state = {.thermal = 0.04},
       .severity = "none"},
      {.name = "AtItsPowerLimit",
       .rule = "throttled",
       .state = {.power = 395, .clock = 1400, .by_power = 0.9},
       .severity = "info",
       .share = 0.262,
       .cause = "power"},
      {.name = "HeldBackFarBelowItsLimit",
       .rule = "throttled",
       .state = {.power = 200, .clock = 1000, .by_power = 0.6},
       .severity = "critical",
       .share = 0.291,
       .cause = "power"},
      {.name = "HotAndAtItsPowerLimit",
       .rule = "throttled",
       .state = {.power = 395, .clock = 1000, .thermal = 0.3, .by_power = 0.6},
       .severity = "warn",
       .share = 0.146,
       .cause = "thermal"},
  };
}

std::vector<Row> owners() {
  return {
      {.name = "CpuTrainsBesideAnIdleGpu",
       .rule = "device_unused",
       .loop = kOnCpu,
       .state = idle_gpu(),
       .more = cpu_with_cuda,
       .severity = "critical",
       .share = 0.9,
       .says = "computes on the CPU, 90 % of each step, while the NVIDIA",
       .tier = "nvml"},
      {.name = "CpuBuildOfPyTorch",
       .rule = "device_unused",
       .loop = kOnCpu,
       .state = idle_gpu(),
       .more = cpu_without_cuda,
       .severity = "info",
       .says = "without CUDA"},
      {.name = "CpuTrainsBesideAGpuOfOthers",
       .rule = "device_unused",
       .loop = kOnCpu,
       .state = {.utilization = 0, .others_processes = 1, .own_memory = {}},
       .more = cpu_with_cuda,
       .severity = "none"},
      {.name = "CpuTrainsBesideABusyGpu",
       .rule = "device_unused",
       .loop = kOnCpu,
       .state = {.utilization = 0.3, .own_memory = {}},
       .more = cpu_with_cuda,
       .severity = "none"},
      {.name = "HiddenGpu",
       .rule = "device_unused",
       .loop = kOnCpu,
       .state = idle_gpu(),
       .more = all(cpu_with_cuda,
                   [](TimelineBuilder& run) { run.timeline().devices[0].visible_index.reset(); }),
       .severity = "none"},
      {.name = "OneOfTwo",
       .rule = "device_unused",
       .more = [](TimelineBuilder& run) { add_gpu(run, idle_gpu(), 1); },
       .severity = "info",
       .says = "1 of 2 GPUs"},
      {.name = "TheOnlyGpuAtWork", .rule = "device_unused", .severity = "none"},
      {.name = "Shared",
       .rule = "device_shared",
       .loop = {.launch = 17, .optimizer = 1, .sync = 0.7},
       .state = {.others = 0.25, .others_processes = 1, .others_memory = 5e9},
       .severity = "critical",
       .share = 0.25,
       .says = "1 other process uses this GPU, 25 %"},
      {.name = "SharedALittle",
       .rule = "device_shared",
       .loop = {.launch = 17, .optimizer = 1, .sync = 0.7},
       .state = {.others = 0.09, .others_processes = 2},
       .severity = "info",
       .share = 0.09},
      {.name = "SharedInAContainer",  // the driver knows nobody by these numbers
       .rule = "device_shared",
       .loop = {.launch = 17, .optimizer = 1, .sync = 0.7},
       .state = {.others = 0.25, .others_processes = 1, .own_memory = {}},
       .severity = "none"},
      {.name = "Alone",
       .rule = "device_shared",
       .state = {.others = 0, .others_processes = 0},
       .severity = "none"},
  };
}

std::vector<Row> host_memory() {
  return {
      {.name = "EverybodyStalls",
       .rule = "memory_pressure",
       .more = host(Metric::kHostPressureMemoryFull, 0.15),
       .severity = "warn",
       .share = 0.15,
       .says = "stands still 15 %",
       .tier = "host"},
      {.name = "EverybodyStallsSeldom",
       .rule = "memory_pressure",
       .more = host(Metric::kHostPressureMemoryFull, 0.09),
       .severity = "none"},
      {.name = "SomebodyOnTheMachine",
       .rule = "memory_pressure",
       .more = host(Metric::kHostPressureMemorySome, 0.5),
       .severity = "none"},
      {.name = "SomebodyInTheContainer",
       .rule = "memory_pressure",
       .more = host(Metric::kCgroupPressureMemorySome, 0.3),
       .severity = "critical",
       .share = 0.3},
      {.name = "TheStepThread",
       .rule = "memory_pressure",
       .more = all(host(Metric::kCgroupPressureMemorySome, 0.3),
                   host(Metric::kProcessIoDiskWait, 0.12, kPid)),
       .severity = "warn",
       .share = 0.12},
      {.name = "NotTheStepThread",
       .rule = "memory_pressure",
       .more = all(host(Metric::kCgroupPressureMemorySome, 0.3),
                   host(Metric::kProcessIoDiskWait, 0.01, kPid)),
       .severity = "none"},
      {.name = "FullButCalm",
       .rule = "memory_pressure",
       .more = all(host(Metric::kCgroupMemoryUsed, 999),
                   [](TimelineBuilder& run) { run.timeline().info.memory_limit_bytes = 1000; }),
       .severity = "none"},
      {.name = "Killed",
       .rule = "memory_pressure",
       .more = oom_kill,
       .severity = "warn",
       .says = "killed 1 process"},
      {.name = "KilledBefore",
       .rule = "memory_pressure",
       .more = host(Metric::kCgroupMemoryOomKills, 3),
       .severity = "none"},
  };
}

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
  EXPECT_EQ(report.verdict.finding, "unexplained");
  EXPECT_THAT(report.verdict.summary, HasSubstr("the GPU is busy 40 %"));
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
}  // namespace flatout::analyse
