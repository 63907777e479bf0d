// NVML API Reference Guide, nvmlDeviceGetCurrentClocksEventReasons ("NvmlClocksEventReasons") and
// nvmlDeviceGetViolationStatus. Only power and heat hold clocks down here, and heat by the driver's
// software: the times of all other reasons are 0.
#include "core/power.h"
#include "nvml/cpu_time.h"
#include "nvml/device.h"

using namespace simgpu::nvml;  // NOLINT: the symbols below are C's

namespace {

constexpr simgpu::Nanoseconds kIdleFor = 100 * simgpu::kMillisecond;

unsigned long long reasons(simgpu::SharedDevice& state, int index) {
  const simgpu::Nanoseconds at = simgpu::now();
  const simgpu::PowerState power = simgpu::power_state(state, index, at);
  unsigned long long bits = 0;
  bits |= power.power_capped ? nvmlClocksEventReasonSwPowerCap : 0;
  bits |= power.thermally_slowed ? nvmlClocksEventReasonSwThermalSlowdown : 0;
  bits |= state.kernels.between(at - kIdleFor, at) == 0 ? nvmlClocksEventReasonGpuIdle : 0;
  return bits;
}

}  // namespace

extern "C" {

nvmlReturn_t nvmlDeviceGetCurrentClocksEventReasons(nvmlDevice_t device, unsigned long long* bits) {
  return with_state(device, {bits}, [&](simgpu::SharedDevice& state) {
    if (device->is_instance) {
      return NVML_ERROR_NOT_SUPPORTED;
    }
    *bits = reasons(state, device->index);
    return NVML_SUCCESS;
  });
}

nvmlReturn_t nvmlDeviceGetCurrentClocksThrottleReasons(nvmlDevice_t device,
                                                       unsigned long long* bits) {
  return nvmlDeviceGetCurrentClocksEventReasons(device, bits);
}

nvmlReturn_t nvmlDeviceGetSupportedClocksEventReasons(nvmlDevice_t device,
                                                      unsigned long long* bits) {
  return with_device(device, {bits}, [&] {
    *bits = nvmlClocksEventReasonSwPowerCap | nvmlClocksEventReasonSwThermalSlowdown |
            nvmlClocksEventReasonGpuIdle;
    return NVML_SUCCESS;
  });
}

nvmlReturn_t nvmlDeviceGetSupportedClocksThrottleReasons(nvmlDevice_t device,
                                                         unsigned long long* bits) {
  return nvmlDeviceGetSupportedClocksEventReasons(device, bits);
}

nvmlReturn_t nvmlDeviceGetViolationStatus(nvmlDevice_t device, nvmlPerfPolicyType_t policy,
                                          nvmlViolationTime_t* time) {
  return with_state(device, {time}, [&](simgpu::SharedDevice& state) {
    if (device->is_instance || policy > NVML_PERF_POLICY_RELIABILITY) {
      return NVML_ERROR_NOT_SUPPORTED;
    }
    const simgpu::Nanoseconds at = simgpu::now();
    simgpu::power_state(state, device->index, at);
    simgpu::Nanoseconds held = 0;
    held = policy == NVML_PERF_POLICY_POWER ? state.power_capped_for : held;
    held = policy == NVML_PERF_POLICY_THERMAL ? state.thermally_slowed_for : held;
    time->referenceTime = cpu_microseconds(at);
    time->violationTime = static_cast<unsigned long long>(held);
    return NVML_SUCCESS;
  });
}

}  // extern "C"
