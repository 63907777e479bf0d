#include <algorithm>
#include <cstdlib>
#include <map>
#include <optional>

#include "base/time.h"
#include "cli/doctor.h"
#include "run/metric.h"

namespace flatout::cli {
namespace {

using run::Metric;

// Of a driver that must first wake its devices; longer is a hang.
constexpr base::DurationNs kPatience = 30 * base::kSecond;

bool is_instance(const run::Device& device) {
  return device.mig && device.mig->find(" of device ") != std::string::npos;
}

// "2 x NVIDIA H200, 1 x NVIDIA L4"
std::string names(const std::vector<run::Device>& devices) {
  std::map<std::string, int> count;
  for (const auto& device : devices) {
    if (!is_instance(device)) ++count[device.name];
  }
  std::string text;
  for (const auto& [name, times] : count) {
    text += (text.empty() ? "" : ", ") + std::to_string(times) + " x " + name;
  }
  return text;
}

// Why the first device that lacks `name` lacks it; absent when none does.
std::optional<std::string> lacking(const std::vector<run::Device>& devices,
                                   const std::string& name) {
  for (const auto& device : devices) {
    if (is_instance(device)) continue;
    const auto found = device.unavailable.find(name);
    if (found != device.unavailable.end()) return found->second;
  }
  return std::nullopt;
}

std::optional<std::string> lacking(const std::vector<run::Device>& devices, Metric metric) {
  return lacking(devices, std::string(run::metric_info(metric)->name));
}

Check tier(const char* name, const std::optional<std::string>& why, const std::string& gives,
           const std::string& costs) {
  if (!why) return {Mark::kOk, name, gives};
  return {Mark::kMissing, name, *why + "; " + costs};
}

Check tell_visible(const std::vector<run::Device>& devices) {
  const auto seen = std::ranges::count_if(
      devices, [](const auto& device) { return device.visible_index.has_value(); });
  if (const auto why = lacking(devices, "visible_index"); why && seen == 0) {
    return {Mark::kMissing, "visible", *why};
  }
  if (seen == 0) {
    return {Mark::kMissing, "visible",
            "CUDA_VISIBLE_DEVICES hides every GPU; a program started from here computes on the "
            "CPU"};
  }
  return {Mark::kOk, "visible",
          std::to_string(seen) + " of " + std::to_string(devices.size()) +
              " are visible to a program started from here"};
}

void tell_tiers(const std::vector<run::Device>& devices, std::vector<Check>& checks) {
  checks.push_back(tell_visible(devices));
  checks.push_back(tier("samples", lacking(devices, "samples.device.utilization"),
                        "the driver's buffers give utilization and power between two polls",
                        "utilization is polled instead, and what lies between two polls is lost"));
  checks.push_back(tier("GPM", lacking(devices, Metric::kDeviceGpmSm),
                        "SM, tensor core, DRAM and PCIe activity, without root",
                        "how busy the SMs and tensor cores are is not known"));
  checks.push_back(tier("pids", lacking(devices, Metric::kDeviceOthersProcesses),
                        "memory and use of each process; other jobs on a GPU are distinguished",
                        "other jobs on the same GPU are not distinguished"));
  checks.push_back(tier("clocks", lacking(devices, "throttle_counters"),
                        "the time for which power or heat held clocks down is counted",
                        "reasons for lower clocks are polled instead"));
  const auto parents = std::ranges::count_if(
      devices, [](const auto& device) { return device.mig && device.mig->starts_with("parent"); });
  if (parents > 0) {
    checks.push_back({Mark::kMissing, "MIG",
                      "on for " + std::to_string(parents) +
                          " GPU(s): the driver measures no utilization of instances; steps and "
                          "memory remain, and GPM from Hopper on"});
  }
}

}  // namespace

std::vector<Check> tell_devices(const collect::DeviceLook& nvidia, const collect::DeviceLook& amd) {
  std::vector<Check> checks;
  if (!nvidia.devices.empty()) {
    checks.push_back(
        {Mark::kOk, "GPU",
         names(nvidia.devices) + ", driver " + nvidia.devices.front().driver + ", through NVML"});
    tell_tiers(nvidia.devices, checks);
  }
  if (!nvidia.problem.empty()) {
    checks.push_back({Mark::kMissing, "GPU", "no GPU counters: " + nvidia.problem});
  } else if (nvidia.devices.empty() && amd.devices.empty()) {
    checks.push_back({Mark::kMissing, "GPU",
                      "no NVIDIA driver (libnvidia-ml.so.1) and no amdgpu device here; the CPU is "
                      "the device"});
  }
  for (const auto& note : nvidia.notes) checks.push_back({Mark::kMissing, "GPU", note});
  if (!amd.devices.empty()) {
    checks.push_back({Mark::kOk, "AMD",
                      names(amd.devices) + ", through amdgpu's files: utilization is polled, no "
                                           "per-process figures and no throttle reasons"});
    if (const auto why = lacking(amd.devices, "visible_index")) {
      checks.push_back({Mark::kMissing, "AMD", *why});
    }
  }
  return checks;
}

std::vector<Check> check_devices() {
  const auto options = collect::device_options([](const char* name) { return std::getenv(name); });
  return tell_devices(collect::look_at_nvidia(options, kPatience),
                      collect::look_at_amd({}, options));
}

}  // namespace flatout::cli
