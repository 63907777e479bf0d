// NVML API Reference Guide, nvmlDeviceGetPowerUsage and the limits beside it. The figures are those
// of core/power.cc, in milliwatts.
#include "nvml/power.h"

#include <cmath>

#include "core/power.h"
#include "nvml/device.h"

namespace simgpu::nvml {
namespace {

unsigned milli(double value) { return static_cast<unsigned>(std::lround(value * 1000)); }

// "On Ampere (except GA100) or newer GPUs, the API returns power averaged over 1 sec interval. On
// GA100 and older architectures, instantaneous power is returned."
bool averages(const DeviceSpec& spec) {
  return spec.major >= 9 || (spec.major == 8 && spec.minor > 0);
}

template <typename Value>
nvmlReturn_t of_whole(nvmlDevice_t device, std::initializer_list<const void*> outputs,
                      const Value& give) {
  return with_state(device, outputs, [&](SharedDevice& state) {
    if (device->is_instance) {
      return NVML_ERROR_NOT_SUPPORTED;
    }
    give(state);
    return NVML_SUCCESS;
  });
}

}  // namespace

unsigned power_now(SharedDevice& state, int index) {
  return milli(power_state(state, index, now()).power_w);
}

unsigned power_of_a_second(SharedDevice& state, int index) {
  constexpr int kWindows = 10;
  const Nanoseconds at = now();
  double sum = 0;
  for (int i = 0; i < kWindows; ++i) {
    sum += power_state(state, index, at - i * kSecond / kWindows).power_w;
  }
  return milli(sum / kWindows);
}

unsigned long long energy_millijoules(SharedDevice& state, int index) {
  power_state(state, index, now());
  return static_cast<unsigned long long>(state.energy_j * 1000);
}

}  // namespace simgpu::nvml

using namespace simgpu::nvml;  // NOLINT: the symbols below are C's

extern "C" {

nvmlReturn_t nvmlDeviceGetPowerUsage(nvmlDevice_t device, unsigned* milliwatts) {
  return of_whole(device, {milliwatts}, [&](simgpu::SharedDevice& state) {
    *milliwatts = averages(spec(device)) ? power_of_a_second(state, device->index)
                                         : power_now(state, device->index);
  });
}

nvmlReturn_t nvmlDeviceGetTotalEnergyConsumption(nvmlDevice_t device,
                                                 unsigned long long* millijoules) {
  return of_whole(device, {millijoules}, [&](simgpu::SharedDevice& state) {
    *millijoules = energy_millijoules(state, device->index);
  });
}

nvmlReturn_t nvmlDeviceGetEnforcedPowerLimit(nvmlDevice_t device, unsigned* milliwatts) {
  return of_whole(device, {milliwatts}, [&](simgpu::SharedDevice& state) {
    *milliwatts = milli(simgpu::power_state(state, device->index, simgpu::now()).limit_w);
  });
}

nvmlReturn_t nvmlDeviceGetPowerManagementLimit(nvmlDevice_t device, unsigned* milliwatts) {
  return nvmlDeviceGetEnforcedPowerLimit(device, milliwatts);
}

nvmlReturn_t nvmlDeviceGetPowerManagementDefaultLimit(nvmlDevice_t device, unsigned* milliwatts) {
  return of_whole(device, {milliwatts},
                  [&](simgpu::SharedDevice&) { *milliwatts = milli(spec(device).limit_w); });
}

nvmlReturn_t nvmlDeviceGetPowerManagementMode(nvmlDevice_t device, nvmlEnableState_t* mode) {
  return of_whole(device, {mode}, [&](simgpu::SharedDevice&) { *mode = NVML_FEATURE_ENABLED; });
}

nvmlReturn_t nvmlDeviceGetPowerManagementLimitConstraints(nvmlDevice_t device, unsigned* least,
                                                          unsigned* most) {
  return of_whole(device, {least, most}, [&](simgpu::SharedDevice&) {
    *least = milli(spec(device).idle_w);
    *most = milli(spec(device).limit_w);
  });
}

}  // extern "C"
