// The pretended driver: instances of a device (MIG) and its performance monitors
// (GPM). A driver of 2017 has neither, so this file is not in its library.
#include <map>

#include "collect/nvml/fake/state.h"

using namespace fake_nvml;  // NOLINT: the symbols below are C's

extern "C" {

Return nvmlDeviceGetMigMode(Handle handle, unsigned* mode, unsigned* pending) {
  *mode = *pending = place(handle).device->instances.empty() ? 0 : 1;
  return Return::kSuccess;
}
Return nvmlDeviceGetMaxMigDeviceCount(Handle, unsigned* count) {
  *count = 7;
  return Return::kSuccess;
}
Return nvmlDeviceGetMigDeviceHandleByIndex(Handle handle, unsigned index, Handle* instance) {
  unsigned seen = 0;
  for (const auto& part : state->parts) {
    if (part->device == place(handle).device && seen++ == index) {
      *instance = handle_of(*part);
      return Return::kSuccess;
    }
  }
  return Return::kNotFound;
}
// Numbered from 1 in a device, in the order of the script.
Return nvmlDeviceGetGpuInstanceId(Handle handle, unsigned* id) {
  const Place& at = place(handle);
  if (at.instance == nullptr) return Return::kInvalidArgument;
  *id = static_cast<unsigned>(at.instance - at.device->instances.data()) + 1;
  return Return::kSuccess;
}
struct FakeGpmSample {
  const Device* device;
  double t;
  unsigned
      part;  // an instance's figures are the device's by its number, so that tests tell them apart
};
Return nvmlGpmQueryDeviceSupport(Handle handle, GpmSupport* support) {
  return field(handle, "gpm", &support->supported, "nvmlGpmQueryDeviceSupport");
}
Return nvmlGpmSampleAlloc(GpmSample* sample) {
  *sample = reinterpret_cast<GpmSample>(new FakeGpmSample{});
  return Return::kSuccess;
}
Return nvmlGpmSampleFree(GpmSample sample) {
  delete reinterpret_cast<FakeGpmSample*>(sample);
  return Return::kSuccess;
}
// Of whole devices; instances have a call of their own.
Return nvmlGpmSampleGet(Handle handle, GpmSample sample) {
  if (place(handle).instance != nullptr) return Return::kNotSupported;
  *reinterpret_cast<FakeGpmSample*>(sample) = {place(handle).device, now(), 1};
  return trouble("nvmlGpmSampleGet", place(handle).device);
}
Return nvmlGpmMigSampleGet(Handle gpu, unsigned instance, GpmSample sample) {
  const Place& at = place(gpu);
  const bool known = instance >= 1 && instance <= at.device->instances.size();
  if (at.instance != nullptr || !known) return Return::kInvalidArgument;
  *reinterpret_cast<FakeGpmSample*>(sample) = {at.device, now(), instance};
  return trouble("nvmlGpmMigSampleGet", at.device);
}
Return nvmlGpmMetricsGet(GpmRequest* request) {
  const auto& first = *reinterpret_cast<FakeGpmSample*>(request->first);
  const auto& second = *reinterpret_cast<FakeGpmSample*>(request->second);
  if (request->version != 1 || second.t - first.t < 0.1) return Return::kInvalidArgument;
  const std::map<GpmId, const char*> names = {{GpmId::kSm, "gpm_sm"},
                                              {GpmId::kOccupancy, "gpm_occupancy"},
                                              {GpmId::kTensor, "gpm_tensor"},
                                              {GpmId::kDram, "gpm_dram"},
                                              {GpmId::kPcieSent, "gpm_pcie_sent"},
                                              {GpmId::kPcieReceived, "gpm_pcie_received"},
                                              {GpmId::kNvlinkSent, "gpm_nvlink_sent"},
                                              {GpmId::kNvlinkReceived, "gpm_nvlink_received"}};
  for (unsigned i = 0; i < request->count; ++i) {
    GpmMetric& metric = request->metrics[i];
    const Signal& signal = first.device->fields.at(names.at(metric.id));
    metric.outcome = signal.at(second.t) ? Return::kSuccess : Return::kNotSupported;
    metric.value = (signal.integral(second.t) - signal.integral(first.t)) / (second.t - first.t);
    metric.value /= second.part;
  }
  return Return::kSuccess;
}

}  // extern "C"
