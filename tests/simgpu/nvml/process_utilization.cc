// NVML API Reference Guide, nvmlDeviceGetProcessUtilization: one entry for each process that used
// the device in the last sample period, here the last whole second in steps of 125 ms.
#include <algorithm>
#include <cmath>
#include <vector>

#include "nvml/asked.h"
#include "nvml/cpu_time.h"
#include "nvml/device.h"

using namespace simgpu::nvml;  // NOLINT: the symbols below are C's

namespace {

using simgpu::KernelTime;

std::vector<nvmlProcessUtilizationSample_t> shares(simgpu::SharedDevice& state,
                                                   unsigned long long last_seen_us) {
  std::vector<nvmlProcessUtilizationSample_t> found;
  const simgpu::Nanoseconds until = simgpu::now() / KernelTime::kSlot * KernelTime::kSlot;
  const unsigned long long stamp = cpu_microseconds(until);
  if (stamp <= last_seen_us) {
    return found;
  }
  simgpu::drop_the_dead(state);
  for (const simgpu::ProcessMemory& process : state.processes) {
    const auto taken = process.kernels.between(until - simgpu::kSecond, until);
    if (process.pid == 0 || taken == 0) {
      continue;
    }
    nvmlProcessUtilizationSample_t sample{};
    sample.pid = static_cast<unsigned>(process.pid);
    sample.timeStamp = stamp;
    sample.smUtil = static_cast<unsigned>(
        std::lround(std::min(1.0, static_cast<double>(taken) / simgpu::kSecond) * 100));
    found.push_back(sample);
  }
  return found;
}

}  // namespace

// "On MIG-enabled GPUs, querying process utilization is not currently supported." The share of
// memory of a process is not known; it stays 0.
extern "C" nvmlReturn_t nvmlDeviceGetProcessUtilization(nvmlDevice_t device,
                                                        nvmlProcessUtilizationSample_t* samples,
                                                        unsigned* count,
                                                        unsigned long long last_seen_us) {
  return with_state(device, {count}, [&](simgpu::SharedDevice& state) {
    if (asked().processes_denied) {
      return NVML_ERROR_NO_PERMISSION;
    }
    if (asked().mig) {
      return NVML_ERROR_NOT_SUPPORTED;
    }
    if (samples == nullptr) {
      *count = static_cast<unsigned>(state.processes.size());
      return NVML_ERROR_INSUFFICIENT_SIZE;
    }
    if (asked().no_processes) {
      return NVML_ERROR_NOT_FOUND;
    }
    const auto all = shares(state, last_seen_us);
    if (all.empty()) {
      return NVML_ERROR_NOT_FOUND;
    }
    *count = std::min(*count, static_cast<unsigned>(all.size()));
    std::copy_n(all.begin(), *count, samples);
    return NVML_SUCCESS;
  });
}
