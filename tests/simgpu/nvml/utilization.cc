// NVML API Reference Guide, nvmlUtilization_t: percent of time over the past sample period, here
// the last second, in which a kernel ran, or device memory was read or written. Of the second, the
// simulator knows copies and sets; of a kernel it takes half (core/placement.cc), so no test should
// hold anything to utilization.memory.
#include <algorithm>
#include <cmath>

#include "nvml/asked.h"
#include "nvml/device.h"

using namespace simgpu::nvml;  // NOLINT: the symbols below are C's

namespace {

constexpr unsigned kPeriod_us = 1'000'000;

unsigned percent(const simgpu::BusyTime& busy, simgpu::Nanoseconds at) {
  const double share =
      static_cast<double>(busy.between(at - simgpu::kSecond, at)) / simgpu::kSecond;
  return static_cast<unsigned>(std::lround(std::min(1.0, share) * 100));
}

// The engines for video and images, which nothing here uses. "On MIG-enabled GPUs, querying encoder
// utilization is not currently supported."
nvmlReturn_t unused_engine(nvmlDevice_t device, unsigned* utilization, unsigned* period_us) {
  return with_device(device, {utilization, period_us}, [&] {
    if (asked().mig) {
      return NVML_ERROR_NOT_SUPPORTED;
    }
    *utilization = 0;
    *period_us = kPeriod_us;
    return NVML_SUCCESS;
  });
}

}  // namespace

extern "C" {

// "On MIG-enabled GPUs, querying device utilization rates is not currently supported."
nvmlReturn_t nvmlDeviceGetUtilizationRates(nvmlDevice_t device, nvmlUtilization_t* utilization) {
  return with_state(device, {utilization}, [&](simgpu::SharedDevice& state) {
    if (asked().mig) {
      return NVML_ERROR_NOT_SUPPORTED;
    }
    const simgpu::Nanoseconds at = simgpu::now();
    utilization->gpu = percent(state.kernels, at);
    utilization->memory = percent(state.memory, at);
    return NVML_SUCCESS;
  });
}

nvmlReturn_t nvmlDeviceGetEncoderUtilization(nvmlDevice_t device, unsigned* utilization,
                                             unsigned* period_us) {
  return unused_engine(device, utilization, period_us);
}

nvmlReturn_t nvmlDeviceGetDecoderUtilization(nvmlDevice_t device, unsigned* utilization,
                                             unsigned* period_us) {
  return unused_engine(device, utilization, period_us);
}

nvmlReturn_t nvmlDeviceGetJpgUtilization(nvmlDevice_t device, unsigned* utilization,
                                         unsigned* period_us) {
  return unused_engine(device, utilization, period_us);
}

nvmlReturn_t nvmlDeviceGetOfaUtilization(nvmlDevice_t device, unsigned* utilization,
                                         unsigned* period_us) {
  return unused_engine(device, utilization, period_us);
}

}  // extern "C"
