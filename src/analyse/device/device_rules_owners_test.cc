// Who uses a device: see device_rules_test.cc.
#include <gtest/gtest.h>

#include "analyse/analyse.h"
#include "analyse/device/device_rules_table.h"

namespace flatout::analyse::device_rules {
namespace {

void cpu_trains(TimelineBuilder& run, const char* cuda) {
  auto& facts = run.timeline().processes[kPid].facts;
  facts.erase_if([](const run::Fact& f) {
    return f.key == run::facts::kModel || f.key == run::facts::kEnvironment;
  });
  run.fact(kPid, run::facts::kModel, R"({"class":"Net","device":"cpu"})");
  run.fact(kPid, run::facts::kEnvironment,
           std::string(R"({"torch":"2.13.0",)") + cuda + R"("device":"cpu"})");
}
void cpu_with_cuda(TimelineBuilder& run) { cpu_trains(run, R"("cuda":"12.4",)"); }
void not_pytorch(TimelineBuilder& run) {
  cpu_trains(run, "");
  run.timeline().processes[kPid].facts.erase_if(
      [](const run::Fact& f) { return f.key == run::facts::kEnvironment; });
}
void cpu_without_cuda(TimelineBuilder& run) { cpu_trains(run, ""); }

// 14 of the 20 ms of each step.
void busy_by_events(TimelineBuilder& run) {
  auto& process = run.timeline().processes[kPid];
  for (std::int64_t t = ns(520); t < run.timeline().last_ns; t += ns(20)) {
    process.device_phases.push_back(
        {.t_ns = t, .duration_ns = ns(14), .phase = run::Phase::kForward});
  }
}

// Compute for 18 of 20 ms, on the CPU, with the GPU idle.
constexpr GpuLoop kOnCpu = {.h2d = 0, .launch = 16, .optimizer = 2, .sync = 0, .other = 1.8};
GpuState idle_gpu() {
  GpuState state;
  state.utilization = 0;
  state.memory_used = 4e8;
  state.own_memory.reset();
  return state;
}

}  // namespace

std::vector<Row> owners() {
  const GpuState idle = idle_gpu();  // GCC 12.2 crashes on the call within the rows
  return {
      {.name = "CpuTrainsBesideAnIdleGpu",
       .rule = "device_unused",
       .loop = kOnCpu,
       .state = idle,
       .more = cpu_with_cuda,
       .severity = "critical",
       .share = 0.9,
       .says = "computes on the CPU, 90 % of each step, while the NVIDIA",
       .tier = "nvml"},
      {.name = "CpuBuildOfPyTorch",
       .rule = "device_unused",
       .loop = kOnCpu,
       .state = idle,
       .more = cpu_without_cuda,
       .severity = "critical",
       .share = 0.9,
       .cause = run::Cause::kCpuBuild,
       .says = "is idle; this PyTorch is built without CUDA."},
      {.name = "PyTorchWithoutCudaBesideAnAmdGpu",  // which may be one for ROCm
       .rule = "device_unused",
       .loop = kOnCpu,
       .state = idle,
       .more = all(cpu_without_cuda,
                   [](TimelineBuilder& run) { run.timeline().devices[0].vendor = "amd"; }),
       .severity = "info",
       .says = "is idle."},
      {.name = "AProgramThatIsNotPyTorch",
       .rule = "device_unused",
       .loop = kOnCpu,
       .state = idle,
       .more = not_pytorch,
       .severity = "info",
       .says = "is idle."},
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
       .state = idle,
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
      {.name = "SharedSoNothingIdlesBehindAWait",
       .rule = "sync_bound",
       .state = {.utilization = 0.99, .others = 0.4, .others_processes = 1},
       .more = busy_by_events,
       .severity = "none"},
      {.name = "SharedAndIdleBehindAWait",
       .rule = "sync_bound",
       .state = {.utilization = 0.8, .others = 0.4, .others_processes = 1},
       .more = busy_by_events,
       .severity = "warn",
       .share = 0.185},
      {.name = "SharedSoSomebodyHoldsItUp",
       .rule = "compute_bound",
       .loop = {.launch = 17, .optimizer = 1, .sync = 0.7},
       .state = {.others = 0.25, .others_processes = 1},
       .severity = "none"},
      {.name = "SharedALittleSoNobodyHoldsItUp",
       .rule = "compute_bound",
       .loop = {.launch = 17, .optimizer = 1, .sync = 0.7},
       .state = {.others = 0.09, .others_processes = 1},
       .severity = "info",
       .share = 0.9},
      {.name = "Alone",
       .rule = "device_shared",
       .state = {.others = 0, .others_processes = 0},
       .severity = "none"},
  };
}

// The CPU computes all the time, so "compute_bound: nothing holds it up" would be true, too.
TEST(DeviceUnused, APyTorchWithoutCudaBesideAnIdleGpuIsTheVerdict) {
  TimelineBuilder builder = gpu_run(kOnCpu, idle_gpu());
  cpu_without_cuda(builder);
  const run::Verdict verdict = analyse(builder.timeline()).verdict;
  EXPECT_EQ(verdict.finding, "device_unused");
  EXPECT_EQ(verdict.cause, run::Cause::kCpuBuild);
}

}  // namespace flatout::analyse::device_rules
