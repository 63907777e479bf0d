// NVML API Reference Guide, nvmlDeviceGetSamples: the driver's buffers of past values, here the
// last ten seconds. Utilization is renewed each 200 ms (nvmlUtilization_t: between a second and a
// sixth of one), power and clocks each 100 ms.
#include <algorithm>
#include <cmath>
#include <optional>
#include <vector>

#include "core/power.h"
#include "nvml/asked.h"
#include "nvml/cpu_time.h"
#include "nvml/device.h"

using namespace simgpu::nvml;  // NOLINT: the symbols below are C's

namespace {

using simgpu::kMillisecond;
using simgpu::Nanoseconds;

constexpr Nanoseconds kKept = 10 * simgpu::kSecond;

bool is_utilization(nvmlSamplingType_t type) {
  return type == NVML_GPU_UTILIZATION_SAMPLES || type == NVML_MEMORY_UTILIZATION_SAMPLES;
}

Nanoseconds period_of(nvmlSamplingType_t type) {
  return (is_utilization(type) ? 200 : 100) * kMillisecond;
}

unsigned busy_percent(const simgpu::BusyTime& busy, Nanoseconds from, Nanoseconds to) {
  const double share = static_cast<double>(busy.between(from, to)) / static_cast<double>(to - from);
  return static_cast<unsigned>(std::lround(std::min(1.0, share) * 100));
}

// The value of the period that ends at `at`. Heat acts on past power as it does now.
unsigned value_at(simgpu::SharedDevice& state, nvmlDevice_t device, nvmlSamplingType_t type,
                  Nanoseconds at) {
  switch (type) {
    case NVML_GPU_UTILIZATION_SAMPLES:
      return busy_percent(state.kernels, at - period_of(type), at);
    case NVML_MEMORY_UTILIZATION_SAMPLES:
      return busy_percent(state.memory, at - period_of(type), at);
    case NVML_MEMORY_CLK_SAMPLES:
      return static_cast<unsigned>(spec(device).memory_mhz);
    case NVML_PROCESSOR_CLK_SAMPLES:
      return static_cast<unsigned>(spec(device).sm_mhz *
                                   simgpu::power_state(state, device->index, at).clock_share);
    default:
      return static_cast<unsigned>(
          std::lround(simgpu::power_state(state, device->index, at).power_w * 1000));
  }
}

// "On MIG-enabled GPUs, querying [...] NVML_GPU_UTILIZATION_SAMPLES,
// NVML_MEMORY_UTILIZATION_SAMPLES [...] is not currently supported."
bool has_buffer(nvmlDevice_t device, nvmlSamplingType_t type) {
  if (asked().no_samples || device->is_instance || (asked().mig && is_utilization(type))) {
    return false;
  }
  return is_utilization(type) || type == NVML_TOTAL_POWER_SAMPLES ||
         type == NVML_PROCESSOR_CLK_SAMPLES || type == NVML_MEMORY_CLK_SAMPLES;
}

std::vector<nvmlSample_t> samples_since(simgpu::SharedDevice& state, nvmlDevice_t device,
                                        nvmlSamplingType_t type, unsigned long long last_seen_us) {
  std::vector<nvmlSample_t> found;
  const Nanoseconds period = period_of(type);
  const Nanoseconds latest = simgpu::now() / period * period;
  for (Nanoseconds at = latest - kKept + period; at <= latest; at += period) {
    if (cpu_microseconds(at) > last_seen_us) {
      nvmlSample_t sample{};
      sample.timeStamp = cpu_microseconds(at);
      sample.sampleValue.uiVal = value_at(state, device, type, at);
      found.push_back(sample);
    }
  }
  return found;
}

}  // namespace

extern "C" nvmlReturn_t nvmlDeviceGetSamples(nvmlDevice_t device, nvmlSamplingType_t type,
                                             unsigned long long last_seen_us,
                                             nvmlValueType_t* value_type, unsigned* count,
                                             nvmlSample_t* samples) {
  return with_state(device, {value_type, count}, [&](simgpu::SharedDevice& state) {
    if (!has_buffer(device, type)) {
      return NVML_ERROR_NOT_SUPPORTED;
    }
    *value_type = NVML_VALUE_TYPE_UNSIGNED_INT;
    if (samples == nullptr) {
      *count = static_cast<unsigned>(kKept / period_of(type));
      return NVML_SUCCESS;
    }
    if (*count == 0) {
      return NVML_ERROR_INVALID_ARGUMENT;
    }
    const auto all = samples_since(state, device, type, last_seen_us);
    if (all.empty()) {
      return NVML_ERROR_NOT_FOUND;
    }
    *count = std::min(*count, static_cast<unsigned>(all.size()));
    std::copy_n(all.begin(), *count, samples);
    return NVML_SUCCESS;
  });
}
