// NVML API Reference Guide, nvmlDeviceGetTemperature and nvmlDeviceGetTemperatureThreshold. The
// table has one threshold, from which heat lowers the clocks; at which heat a device goes off is
// not simulated.
#include <cmath>

#include "core/power.h"
#include "nvml/device.h"

using namespace simgpu::nvml;  // NOLINT: the symbols below are C's

extern "C" {

nvmlReturn_t nvmlDeviceGetTemperature(nvmlDevice_t device, nvmlTemperatureSensors_t sensor,
                                      unsigned* celsius) {
  return with_state(device, {celsius}, [&](simgpu::SharedDevice& state) {
    if (sensor != NVML_TEMPERATURE_GPU) {
      return NVML_ERROR_INVALID_ARGUMENT;
    }
    if (device->is_instance) {
      return NVML_ERROR_NOT_SUPPORTED;
    }
    const double now = simgpu::power_state(state, device->index, simgpu::now()).temperature_c;
    *celsius = static_cast<unsigned>(std::lround(now));
    return NVML_SUCCESS;
  });
}

nvmlReturn_t nvmlDeviceGetTemperatureV(nvmlDevice_t device, nvmlTemperature_t* temperature) {
  if (temperature == nullptr) {
    return NVML_ERROR_INVALID_ARGUMENT;
  }
  unsigned celsius = 0;
  const nvmlReturn_t asked = nvmlDeviceGetTemperature(device, temperature->sensorType, &celsius);
  temperature->temperature = static_cast<int>(celsius);
  return asked;
}

nvmlReturn_t nvmlDeviceGetTemperatureThreshold(nvmlDevice_t device,
                                               nvmlTemperatureThresholds_t which,
                                               unsigned* celsius) {
  return with_device(device, {celsius}, [&] {
    const bool known =
        which == NVML_TEMPERATURE_THRESHOLD_SLOWDOWN || which == NVML_TEMPERATURE_THRESHOLD_GPU_MAX;
    if (!known || device->is_instance) {
      return NVML_ERROR_NOT_SUPPORTED;
    }
    *celsius = static_cast<unsigned>(spec(device).slowdown_c);
    return NVML_SUCCESS;
  });
}

}  // extern "C"
