// The pretended driver: the library, its devices, and what never changes of them.
#include <cstdlib>
#include <memory>

#include "collect/nvml/fake/state.h"

using namespace fake_nvml;  // NOLINT: the symbols below are C's

extern "C" {

Return nvmlInit_v2() {
  const char* file = std::getenv("FAKE_NVML_SCRIPT");
  state = std::make_unique<State>();
  if (file != nullptr) state->script = read_script(file);
  state->start_us = now_us();
  for (Device& device : state->script.devices) {
    state->whole.push_back(std::make_unique<Place>(Place{&device, nullptr}));
    for (const Instance& instance : device.instances) {
      state->parts.push_back(std::make_unique<Place>(Place{&device, &instance}));
    }
  }
  return trouble("nvmlInit_v2", nullptr);
}
Return nvmlShutdown() { return Return::kSuccess; }
Return nvmlSystemGetDriverVersion(char* out, unsigned length) {
  return text(state->script.driver, out, length);
}
Return nvmlDeviceGetCount_v2(unsigned* count) {
  if (const Return bad = trouble("nvmlDeviceGetCount_v2", nullptr); bad != Return::kSuccess) {
    return bad;
  }
  *count = static_cast<unsigned>(state->whole.size());
  return Return::kSuccess;
}
Return nvmlDeviceGetHandleByIndex_v2(unsigned index, Handle* handle) {
  if (index >= state->whole.size()) return Return::kInvalidArgument;
  *handle = handle_of(*state->whole[index]);
  return trouble("nvmlDeviceGetHandleByIndex_v2", state->whole[index]->device);
}
Return nvmlDeviceGetName(Handle handle, char* out, unsigned length) {
  const Place& at = place(handle);
  return text(at.instance != nullptr ? at.instance->name : at.device->name, out, length);
}
Return nvmlDeviceGetUUID(Handle handle, char* out, unsigned length) {
  const Place& at = place(handle);
  return text(at.instance != nullptr ? at.instance->uuid : at.device->uuid, out, length);
}
Return nvmlDeviceGetPciInfo_v3(Handle handle, Pci* pci) {
  return text(place(handle).device->bus, pci->bus_id, sizeof pci->bus_id);
}
Return nvmlDeviceGetCudaComputeCapability(Handle handle, int* major, int* minor) {
  field(handle, "capability_minor", minor, "nvmlDeviceGetCudaComputeCapability");
  return field(handle, "capability_major", major, "nvmlDeviceGetCudaComputeCapability");
}
Return nvmlDeviceGetTemperatureThreshold(Handle handle, Threshold which, unsigned* celsius) {
  const char* name = which == Threshold::kShutdown   ? "temperature_shutdown"
                     : which == Threshold::kSlowdown ? "temperature_slowdown"
                                                     : "temperature_max_operating";
  return field(handle, name, celsius, "nvmlDeviceGetTemperatureThreshold");
}
Return nvmlDeviceGetMaxClockInfo(Handle handle, Clock which, unsigned* megahertz) {
  return field(handle, which == Clock::kSm ? "clock_sm_max" : "clock_memory_max", megahertz,
               "nvmlDeviceGetMaxClockInfo");
}
Return nvmlDeviceGetMaxPcieLinkGeneration(Handle handle, unsigned* value) {
  return field(handle, "pcie_generation_max", value, "nvmlDeviceGetMaxPcieLinkGeneration");
}
Return nvmlDeviceGetMaxPcieLinkWidth(Handle handle, unsigned* value) {
  return field(handle, "pcie_width_max", value, "nvmlDeviceGetMaxPcieLinkWidth");
}

}  // extern "C"
