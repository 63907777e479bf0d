// NVML API Reference Guide, "GPM". Given are the metrics that follow from what the simulator
// knows: the time in which kernels ran, and bytes over PCIe. Not given, as
// NVML_ERROR_NOT_SUPPORTED: SM, occupancy, tensor cores, arithmetic units, DRAM and NVLink, since
// what a kernel does inside is not simulated.
#include <algorithm>
#include <mutex>
#include <unordered_set>

#include "nvml/asked.h"
#include "nvml/device.h"
#include "nvml/init.h"

struct nvmlGpmSample_st {
  simgpu::Nanoseconds at = 0;  // 0: nothing was read into it
  int device = 0;
  std::uint64_t sent = 0, received = 0;
};

using namespace simgpu::nvml;  // NOLINT: the symbols below are C's

namespace {

// "The interval between these two nvmlGpmSampleGet() calls should be greater than 100ms".
constexpr simgpu::Nanoseconds kLeast = 100 * simgpu::kMillisecond;

struct Allocated {
  std::mutex lock;
  std::unordered_set<nvmlGpmSample_t> samples;
};

Allocated& allocated() {
  static auto* const kept = new Allocated;
  return *kept;
}

bool is_ours(nvmlGpmSample_t sample) {
  const std::lock_guard guard(allocated().lock);
  return allocated().samples.contains(sample);
}

// GPM came with Hopper.
bool has_gpm(nvmlDevice_t device) { return spec(device).major >= 9; }

nvmlReturn_t take(nvmlDevice_t device, nvmlGpmSample_t sample) {
  return with_state(device, {sample}, [&](simgpu::SharedDevice& state) {
    if (!is_ours(sample)) {
      return NVML_ERROR_INVALID_ARGUMENT;
    }
    if (!has_gpm(device)) {
      return NVML_ERROR_NOT_SUPPORTED;
    }
    const simgpu::Nanoseconds at = simgpu::now();
    *sample = {.at = at,
               .device = device->index,
               .sent = state.copies_to_host.until(at),
               .received = state.copies_to_device.until(at)};
    return NVML_SUCCESS;
  });
}

double busy_percent(const nvmlGpmSample_st& first, const nvmlGpmSample_st& second) {
  simgpu::SharedDevice* const state = simgpu::shared_device(first.device);
  const simgpu::SharedLock guard(*state);
  const double busy = static_cast<double>(state->kernels.between(first.at, second.at));
  return std::min(100.0, 100 * busy / static_cast<double>(second.at - first.at));
}

double mebibytes_per_s(std::uint64_t before, std::uint64_t after, simgpu::Nanoseconds passed) {
  constexpr double kMebibyte = 1 << 20U;
  const double seconds = static_cast<double>(passed) / simgpu::kSecond;
  return static_cast<double>(after - std::min(before, after)) / kMebibyte / seconds;
}

void answer(nvmlGpmMetric_t& metric, const nvmlGpmSample_st& first,
            const nvmlGpmSample_st& second) {
  const simgpu::Nanoseconds passed = second.at - first.at;
  metric.nvmlReturn = NVML_SUCCESS;
  metric.metricInfo = {nullptr, nullptr, nullptr};  // "Those can be NULL if not defined"
  if (metric.metricId == NVML_GPM_METRIC_GRAPHICS_UTIL) {
    metric.value = busy_percent(first, second);
  } else if (metric.metricId == NVML_GPM_METRIC_PCIE_TX_PER_SEC) {
    metric.value = mebibytes_per_s(first.sent, second.sent, passed);
  } else if (metric.metricId == NVML_GPM_METRIC_PCIE_RX_PER_SEC) {
    metric.value = mebibytes_per_s(first.received, second.received, passed);
  } else {
    metric.nvmlReturn = NVML_ERROR_NOT_SUPPORTED;
  }
}

}  // namespace

extern "C" {

nvmlReturn_t nvmlGpmQueryDeviceSupport(nvmlDevice_t device, nvmlGpmSupport_t* support) {
  return with_device(device, {support}, [&] {
    if (support->version != NVML_GPM_SUPPORT_VERSION) {
      return NVML_ERROR_ARGUMENT_VERSION_MISMATCH;
    }
    support->isSupportedDevice = has_gpm(device) ? 1 : 0;
    return NVML_SUCCESS;
  });
}

nvmlReturn_t nvmlGpmSampleAlloc(nvmlGpmSample_t* sample) {
  if (sample == nullptr) {
    return NVML_ERROR_INVALID_ARGUMENT;
  }
  *sample = new nvmlGpmSample_st;
  const std::lock_guard guard(allocated().lock);
  allocated().samples.insert(*sample);
  return NVML_SUCCESS;
}

nvmlReturn_t nvmlGpmSampleFree(nvmlGpmSample_t sample) {
  const std::lock_guard guard(allocated().lock);
  if (allocated().samples.erase(sample) == 0) {
    return NVML_ERROR_INVALID_ARGUMENT;
  }
  delete sample;
  return NVML_SUCCESS;
}

// For instances there is nvmlGpmMigSampleGet; which error the handle of one gives here is not
// documented.
nvmlReturn_t nvmlGpmSampleGet(nvmlDevice_t device, nvmlGpmSample_t sample) {
  if (refusal(device, {sample}) == NVML_SUCCESS && device->is_instance) {
    return NVML_ERROR_NOT_SUPPORTED;
  }
  return take(device, sample);
}

nvmlReturn_t nvmlGpmMigSampleGet(nvmlDevice_t device, unsigned gpu_instance,
                                 nvmlGpmSample_t sample) {
  if (const nvmlReturn_t refused = refusal(device, {sample}); refused != NVML_SUCCESS) {
    return refused;
  }
  if (!asked().mig || device->is_instance || gpu_instance != kGpuInstance) {
    return NVML_ERROR_INVALID_ARGUMENT;
  }
  return take(device, sample);
}

nvmlReturn_t nvmlGpmMetricsGet(nvmlGpmMetricsGet_t* request) {
  if (!is_initialized()) {
    return NVML_ERROR_UNINITIALIZED;
  }
  if (request == nullptr) {
    return NVML_ERROR_INVALID_ARGUMENT;
  }
  if (request->version != NVML_GPM_METRICS_GET_VERSION) {
    return NVML_ERROR_ARGUMENT_VERSION_MISMATCH;
  }
  if (!is_ours(request->sample1) || !is_ours(request->sample2) ||
      request->numMetrics > NVML_GPM_METRIC_MAX) {
    return NVML_ERROR_INVALID_ARGUMENT;
  }
  const nvmlGpmSample_st& first = *request->sample1;
  const nvmlGpmSample_st& second = *request->sample2;
  if (first.at == 0 || second.at - first.at <= kLeast || first.device != second.device) {
    return NVML_ERROR_INVALID_ARGUMENT;
  }
  for (unsigned i = 0; i < request->numMetrics; ++i) {
    answer(request->metrics[i], first, second);
  }
  return NVML_SUCCESS;
}

}  // extern "C"
