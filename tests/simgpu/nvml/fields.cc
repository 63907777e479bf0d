// NVML API Reference Guide, "Field Value Queries": energy, power and throttling, which the calls of
// their own give, too. All others are NVML_ERROR_NOT_SUPPORTED, each in its own field.
#include "core/power.h"
#include "nvml/cpu_time.h"
#include "nvml/device.h"
#include "nvml/power.h"

using namespace simgpu::nvml;  // NOLINT: the symbols below are C's

namespace {

void give(nvmlFieldValue_t& field, unsigned value) {
  field.valueType = NVML_VALUE_TYPE_UNSIGNED_INT;
  field.value.uiVal = value;
}

void give(nvmlFieldValue_t& field, unsigned long long value) {
  field.valueType = NVML_VALUE_TYPE_UNSIGNED_LONG_LONG;
  field.value.ullVal = value;
}

unsigned milli(double value) { return static_cast<unsigned>(value * 1000); }

nvmlReturn_t read(simgpu::SharedDevice& state, nvmlDevice_t device, nvmlFieldValue_t& field) {
  const simgpu::PowerState power = simgpu::power_state(state, device->index, simgpu::now());
  switch (field.fieldId) {
    case NVML_FI_DEV_TOTAL_ENERGY_CONSUMPTION:
    case NVML_FI_DEV_ENERGY:
      give(field, energy_millijoules(state, device->index));
      return NVML_SUCCESS;
    case NVML_FI_DEV_POWER_AVERAGE:
      give(field, power_of_a_second(state, device->index));
      return NVML_SUCCESS;
    case NVML_FI_DEV_POWER_INSTANT:
      give(field, power_now(state, device->index));
      return NVML_SUCCESS;
    case NVML_FI_DEV_POWER_CURRENT_LIMIT:
      give(field, milli(power.limit_w));
      return NVML_SUCCESS;
    case NVML_FI_DEV_POWER_MAX_LIMIT:
    case NVML_FI_DEV_POWER_DEFAULT_LIMIT:
      give(field, milli(spec(device).limit_w));
      return NVML_SUCCESS;
    case NVML_FI_DEV_PERF_POLICY_POWER:
      give(field, static_cast<unsigned long long>(state.power_capped_for));
      return NVML_SUCCESS;
    case NVML_FI_DEV_PERF_POLICY_THERMAL:
      give(field, static_cast<unsigned long long>(state.thermally_slowed_for));
      return NVML_SUCCESS;
    default:
      return NVML_ERROR_NOT_SUPPORTED;
  }
}

}  // namespace

extern "C" nvmlReturn_t nvmlDeviceGetFieldValues(nvmlDevice_t device, int count,
                                                 nvmlFieldValue_t* values) {
  return with_state(device, {values}, [&](simgpu::SharedDevice& state) {
    for (int i = 0; i < count; ++i) {
      values[i].timestamp = static_cast<long long>(cpu_microseconds(simgpu::now()));
      values[i].latencyUsec = 0;
      values[i].nvmlReturn =
          device->is_instance ? NVML_ERROR_NOT_SUPPORTED : read(state, device, values[i]);
    }
    return NVML_SUCCESS;
  });
}
