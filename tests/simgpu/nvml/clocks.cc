// NVML API Reference Guide, nvmlDeviceGetClockInfo. The SM clock is what power and heat leave of
// the table's; it does not fall while the device is idle, as a real one's does. The memory clock
// stays.
#include <cmath>

#include "core/power.h"
#include "nvml/device.h"

using namespace simgpu::nvml;  // NOLINT: the symbols below are C's

namespace {

nvmlReturn_t clock_at(nvmlDevice_t device, nvmlClockType_t type, unsigned* megahertz, bool most) {
  return with_state(device, {megahertz}, [&](simgpu::SharedDevice& state) {
    if (device->is_instance) {
      return NVML_ERROR_NOT_SUPPORTED;
    }
    if (type == NVML_CLOCK_MEM) {
      *megahertz = static_cast<unsigned>(spec(device).memory_mhz);
      return NVML_SUCCESS;
    }
    if (type != NVML_CLOCK_SM && type != NVML_CLOCK_GRAPHICS) {
      return type == NVML_CLOCK_VIDEO ? NVML_ERROR_NOT_SUPPORTED : NVML_ERROR_INVALID_ARGUMENT;
    }
    const double share =
        most ? 1 : simgpu::power_state(state, device->index, simgpu::now()).clock_share;
    *megahertz = static_cast<unsigned>(std::lround(spec(device).sm_mhz * share));
    return NVML_SUCCESS;
  });
}

}  // namespace

extern "C" {

nvmlReturn_t nvmlDeviceGetClockInfo(nvmlDevice_t device, nvmlClockType_t type,
                                    unsigned* megahertz) {
  return clock_at(device, type, megahertz, false);
}

nvmlReturn_t nvmlDeviceGetMaxClockInfo(nvmlDevice_t device, nvmlClockType_t type,
                                       unsigned* megahertz) {
  return clock_at(device, type, megahertz, true);
}

nvmlReturn_t nvmlDeviceGetMaxCustomerBoostClock(nvmlDevice_t device, nvmlClockType_t type,
                                                unsigned* megahertz) {
  return clock_at(device, type, megahertz, true);
}

nvmlReturn_t nvmlDeviceGetClock(nvmlDevice_t device, nvmlClockType_t type, nvmlClockId_t which,
                                unsigned* megahertz) {
  if (which == NVML_CLOCK_ID_CURRENT || which == NVML_CLOCK_ID_CUSTOMER_BOOST_MAX) {
    return clock_at(device, type, megahertz, which == NVML_CLOCK_ID_CUSTOMER_BOOST_MAX);
  }
  return with_device(device, {megahertz}, [] { return NVML_ERROR_NOT_SUPPORTED; });
}

nvmlReturn_t nvmlDeviceGetPerformanceState(nvmlDevice_t device, nvmlPstates_t* state) {
  return with_device(device, {state}, [&] {
    *state = NVML_PSTATE_0;
    return NVML_SUCCESS;
  });
}

}  // extern "C"
