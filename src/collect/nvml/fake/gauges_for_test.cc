// The pretended driver: clocks, links, use, memory, power and counters of a device.
#include <algorithm>

#include "collect/nvml/fake/state.h"

using namespace fake_nvml;  // NOLINT: the symbols below are C's

extern "C" {

Return nvmlDeviceGetClockInfo(Handle handle, Clock which, unsigned* megahertz) {
  return field(handle, which == Clock::kSm ? "clock_sm" : "clock_memory", megahertz,
               "nvmlDeviceGetClockInfo");
}
Return nvmlDeviceGetCurrPcieLinkGeneration(Handle handle, unsigned* value) {
  return field(handle, "pcie_generation", value, "nvmlDeviceGetCurrPcieLinkGeneration");
}
Return nvmlDeviceGetCurrPcieLinkWidth(Handle handle, unsigned* value) {
  return field(handle, "pcie_width", value, "nvmlDeviceGetCurrPcieLinkWidth");
}
Return nvmlDeviceGetPcieThroughput(Handle handle, PcieCounter which, unsigned* kilobytes) {
  return field(handle, which == PcieCounter::kSent ? "pcie_sent" : "pcie_received", kilobytes,
               "nvmlDeviceGetPcieThroughput");
}
Return nvmlDeviceGetNvLinkState(Handle handle, unsigned link, int* active) {
  const Device& device = *place(handle).device;
  const auto links = device.value("nvlinks", now());
  if (!links || *links == 0) return Return::kNotSupported;
  if (link >= 18) return Return::kInvalidArgument;
  *active = link < *links ? 1 : 0;
  return Return::kSuccess;
}
Return nvmlDeviceGetSamples(Handle handle, SamplingType type, unsigned long long last_us,
                            ValueType* value_type, unsigned* count, BufferedSample* samples) {
  const Place& at = place(handle);
  const Device& device = *at.device;
  if (const Return bad = trouble("nvmlDeviceGetSamples", &device); bad != Return::kSuccess) {
    return bad;
  }
  if (!device.instances.empty() && type != SamplingType::kPower) return Return::kNotSupported;
  const auto capacity = static_cast<unsigned>(device.value("sample_capacity", now()).value_or(0));
  if (capacity == 0) return Return::kNotSupported;
  if (samples == nullptr) {
    *count = capacity;
    return Return::kSuccess;
  }
  const char* name = type == SamplingType::kPower            ? "power"
                     : type == SamplingType::kGpuUtilization ? "utilization"
                                                             : "memory_utilization";
  const double period = device.value("sample_period_us", now()).value_or(20'000);
  const auto newest = static_cast<unsigned long long>(now_us() / period);
  unsigned got = 0;
  for (auto k = newest >= capacity ? newest - capacity + 1 : 0; k <= newest; ++k) {
    const auto time_us = static_cast<unsigned long long>(static_cast<double>(k) * period);
    const double t = (static_cast<double>(time_us) - state->start_us) * 1e-6;
    const auto value = device.value(name, std::max(t, 0.0));
    if (time_us <= last_us || got == *count || !value) continue;
    samples[got].time_us = time_us;
    samples[got].value.unsigned_int = static_cast<unsigned>(*value);
    ++got;
  }
  *value_type = ValueType::kUnsigned;
  *count = got;
  return got == 0 ? Return::kNotFound : Return::kSuccess;
}
Return nvmlDeviceGetUtilizationRates(Handle handle, Utilization* out) {
  if (!place(handle).device->instances.empty()) return Return::kNotSupported;
  const Return done = field(handle, "utilization", &out->gpu, "nvmlDeviceGetUtilizationRates");
  if (done != Return::kSuccess) return done;
  return field(handle, "memory_utilization", &out->memory, "nvmlDeviceGetUtilizationRates");
}
Return nvmlDeviceGetMemoryInfo(Handle handle, MemoryV1* out) {
  MemoryV2 memory{};
  const char* call = "nvmlDeviceGetMemoryInfo";
  field(handle, "memory_reserved", &memory.reserved, call);
  field(handle, "memory_used", &memory.used, call);
  const Return done = field(handle, "memory_total", &out->total, call);
  out->used = memory.used + memory.reserved;
  out->free = out->total - out->used;
  return done;
}
Return nvmlDeviceGetPowerUsage(Handle handle, unsigned* milliwatts) {
  return field(handle, "power", milliwatts, "nvmlDeviceGetPowerUsage");
}
Return nvmlDeviceGetEnforcedPowerLimit(Handle handle, unsigned* milliwatts) {
  return field(handle, "power_limit", milliwatts, "nvmlDeviceGetEnforcedPowerLimit");
}
Return nvmlDeviceGetTemperature(Handle handle, Sensor, unsigned* celsius) {
  return field(handle, "temperature", celsius, "nvmlDeviceGetTemperature");
}
Return nvmlDeviceGetViolationStatus(Handle handle, Policy policy, ViolationTime* out) {
  const char* name = policy == Policy::kPower       ? "throttle_power_share"
                     : policy == Policy::kThermal   ? "throttle_thermal_share"
                     : policy == Policy::kSyncBoost ? "throttle_other_share"
                                                    : nullptr;
  const Device& device = *place(handle).device;
  double share = 0;
  const Return done = field(handle, name != nullptr ? name : "throttle_other_share", &share,
                            "nvmlDeviceGetViolationStatus");
  if (done != Return::kSuccess) return done;
  out->reference_us = static_cast<unsigned long long>(now_us());
  out->violation_ns =
      name == nullptr
          ? 0
          : static_cast<unsigned long long>(device.fields.at(name).integral(now()) * 1e9);
  return Return::kSuccess;
}
Return nvmlDeviceGetCurrentClocksThrottleReasons(Handle handle, unsigned long long* bits) {
  return field(handle, "reasons", bits, "nvmlDeviceGetCurrentClocksThrottleReasons");
}
Return nvmlDeviceGetFieldValues(Handle handle, int count, FieldValue* fields) {
  const Device& device = *place(handle).device;
  if (const Return bad = trouble("nvmlDeviceGetFieldValues", &device); bad != Return::kSuccess) {
    return bad;
  }
  for (int i = 0; i < count; ++i) {
    const char* name = fields[i].field == kFieldNvlinkSent       ? "nvlink_sent_kib_s"
                       : fields[i].field == kFieldNvlinkReceived ? "nvlink_received_kib_s"
                                                                 : nullptr;
    fields[i].outcome = Return::kNotSupported;
    if (name == nullptr || fields[i].scope != kAllLinks || !device.value(name, now())) continue;
    fields[i].outcome = Return::kSuccess;
    fields[i].type = ValueType::kUnsignedLongLong;
    fields[i].value.unsigned_long_long =
        static_cast<unsigned long long>(device.fields.at(name).integral(now()));
  }
  return Return::kSuccess;
}
Return nvmlDeviceGetTotalEccErrors(Handle handle, EccError error, EccCounter,
                                   unsigned long long* count) {
  return field(handle, error == EccError::kCorrected ? "ecc_corrected" : "ecc_uncorrected", count,
               "nvmlDeviceGetTotalEccErrors");
}
Return nvmlDeviceGetEncoderUtilization(Handle handle, unsigned* percent, unsigned* window_us) {
  *window_us = 167'000;
  return field(handle, "encoder", percent, "nvmlDeviceGetEncoderUtilization");
}
Return nvmlDeviceGetDecoderUtilization(Handle handle, unsigned* percent, unsigned* window_us) {
  *window_us = 167'000;
  return field(handle, "decoder", percent, "nvmlDeviceGetDecoderUtilization");
}

#ifndef FAKE_NVML_OLD
Return nvmlDeviceGetMemoryInfo_v2(Handle handle, MemoryV2* out) {
  const char* call = "nvmlDeviceGetMemoryInfo_v2";
  if (out->version != version_word<MemoryV2>(2)) return Return::kArgumentVersionMismatch;
  field(handle, "memory_reserved", &out->reserved, call);
  field(handle, "memory_used", &out->used, call);
  return field(handle, "memory_total", &out->total, call);
}
#endif

}  // extern "C"
