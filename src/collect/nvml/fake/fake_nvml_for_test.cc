// A pretended libnvidia-ml.so.1 for tests, driven by a script (script.h), so that
// the code that reads the real one runs on a machine without a GPU. Compiled with
// FAKE_NVML_OLD it is a driver of 2017: no memory v2, no GPM, no MIG, older lists.
#include <sys/time.h>
#include <unistd.h>

#include <atomic>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <memory>
#include <mutex>
#include <set>
#include <sstream>
#include <thread>

#include "collect/nvml/abi.h"
#include "collect/nvml/fake/script.h"

namespace fake_nvml {
namespace {

using namespace flatout::collect::nvml;

// What a handle points to: a device, or an instance of one.
struct Place {
  Device* device = nullptr;
  const Instance* instance = nullptr;
};

struct State {
  Script script;
  std::vector<std::unique_ptr<Place>> whole;
  std::vector<std::unique_ptr<Place>> parts;
  std::set<std::pair<const Device*, unsigned long long>> told_xids;
  double start_us = 0;
};
std::unique_ptr<State> state;
std::atomic<long long> clock_us{0};  // 0 = the machine's clock

double now_us() {
  const long long set = clock_us.load();
  if (set != 0) return static_cast<double>(set);
  timeval tv{};
  ::gettimeofday(&tv, nullptr);
  return static_cast<double>(tv.tv_sec) * 1e6 + static_cast<double>(tv.tv_usec);
}
double now() { return (now_us() - state->start_us) * 1e-6; }

Place& place(Handle handle) { return *reinterpret_cast<Place*>(handle); }
Handle handle_of(const Place& at) {
  return reinterpret_cast<Handle>(const_cast<Place*>(&at));  // NOLINT: the interface has no const
}

bool applies(const Trouble& trouble, const char* call, double t) {
  return trouble.call == call && t >= trouble.from && t < trouble.to;
}

void hang(const std::vector<Trouble>& hangs, const char* call) {
  for (const Trouble& one : hangs) {
    while (applies(one, call, now())) std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }
}

Return failure(const std::vector<Trouble>& failures, const char* call) {
  for (const Trouble& one : failures) {
    if (applies(one, call, now())) return static_cast<Return>(one.code);
  }
  return Return::kSuccess;
}

// Hangs or fails as the script wants; success = go on.
Return trouble(const char* call, const Device* device) {
  hang(state->script.hangs, call);
  if (device != nullptr) hang(device->hangs, call);
  if (device != nullptr && now() >= device->lost_at) return Return::kGpuIsLost;
  const Return all = failure(state->script.failures, call);
  return all != Return::kSuccess || device == nullptr ? all : failure(device->failures, call);
}

Return text(const std::string& from, char* to, unsigned length) {
  if (from.size() + 1 > length) return Return::kInsufficientSize;
  std::memcpy(to, from.c_str(), from.size() + 1);
  return Return::kSuccess;
}

template <typename Number>
Return field(Handle handle, const char* name, Number* out, const char* call) {
  const Device& device = *place(handle).device;
  if (const Return bad = trouble(call, &device); bad != Return::kSuccess) return bad;
  const auto value = device.value(name, now());
  if (!value) return Return::kNotSupported;
  *out = static_cast<Number>(*value);
  return Return::kSuccess;
}

std::vector<int> pids(const Process& process) {
  if (process.match.empty()) return {process.pid};
  std::vector<int> found;
  // Only numbers up to the machine's; a test machine has few processes.
  for (int pid = 2; pid < 4'194'304 && found.size() < 8; ++pid) {
    if (::access(("/proc/" + std::to_string(pid)).c_str(), F_OK) != 0) {
      if (pid > 100'000) break;
      continue;
    }
    if (pid == ::getpid()) continue;
    std::ifstream file("/proc/" + std::to_string(pid) + "/cmdline");
    std::stringstream line;
    line << file.rdbuf();
    if (line.str().find(process.match) != std::string::npos) found.push_back(pid);
  }
  return found;
}

}  // namespace
}  // namespace fake_nvml

using namespace fake_nvml;               // NOLINT: the symbols below are C's
using namespace flatout::collect::nvml;  // NOLINT

extern "C" {

// For unit tests, which own the clock: microseconds since 1970.
void fake_nvml_set_clock(long long us) { clock_us = us; }

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
Return nvmlDeviceGetClockInfo(Handle handle, Clock which, unsigned* megahertz) {
  return field(handle, which == Clock::kSm ? "clock_sm" : "clock_memory", megahertz,
               "nvmlDeviceGetClockInfo");
}
Return nvmlDeviceGetMaxPcieLinkGeneration(Handle handle, unsigned* value) {
  return field(handle, "pcie_generation_max", value, "nvmlDeviceGetMaxPcieLinkGeneration");
}
Return nvmlDeviceGetMaxPcieLinkWidth(Handle handle, unsigned* value) {
  return field(handle, "pcie_width_max", value, "nvmlDeviceGetMaxPcieLinkWidth");
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
Return nvmlDeviceGetComputeRunningProcesses_v2(Handle handle, unsigned* count, ProcessInfo* list) {
  const Place& at = place(handle);
  if (const Return bad = trouble("nvmlDeviceGetComputeRunningProcesses", at.device);
      bad != Return::kSuccess) {
    return bad;
  }
  unsigned got = 0;
  for (const Process& process : at.device->processes) {
    for (const int pid : pids(process)) {
      if (got < *count) {
        list[got] = {.pid = static_cast<unsigned>(pid),
                     .memory_bytes = process.bytes < 0
                                         ? kMemoryNotAvailable
                                         : static_cast<unsigned long long>(process.bytes),
                     .gpu_instance = 0xFFFFFFFF,
                     .compute_instance = 0xFFFFFFFF};
      }
      ++got;
    }
  }
  const bool fits = got <= *count;
  *count = got;
  return fits ? Return::kSuccess : Return::kInsufficientSize;
}
Return nvmlDeviceGetProcessUtilization(Handle handle, ProcessUtilization* list, unsigned* count,
                                       unsigned long long last_us) {
  const Place& at = place(handle);
  if (const Return bad = trouble("nvmlDeviceGetProcessUtilization", at.device);
      bad != Return::kSuccess) {
    return bad;
  }
  if (!at.device->instances.empty()) return Return::kNotSupported;
  unsigned got = 0;
  const auto time_us = static_cast<unsigned long long>(now_us());
  for (const Process& process : at.device->processes) {
    if (process.percent == 0 || time_us <= last_us) continue;
    for (const int pid : pids(process)) {
      if (got == *count) break;
      list[got] = {};
      list[got].pid = static_cast<unsigned>(pid);
      list[got].time_us = time_us;
      list[got].sm = static_cast<unsigned>(process.percent);
      ++got;
    }
  }
  *count = got;
  return got == 0 ? Return::kNotFound : Return::kSuccess;
}
Return nvmlEventSetCreate(EventSet* set) {
  *set = reinterpret_cast<EventSet>(state.get());
  return trouble("nvmlEventSetCreate", nullptr);
}
Return nvmlEventSetFree(EventSet) { return Return::kSuccess; }
Return nvmlDeviceRegisterEvents(Handle handle, unsigned long long, EventSet) {
  return trouble("nvmlDeviceRegisterEvents", place(handle).device);
}
Return nvmlEventSetWait_v2(EventSet, EventData* data, unsigned) {
  if (const Return bad = trouble("nvmlEventSetWait_v2", nullptr); bad != Return::kSuccess) {
    return bad;
  }
  for (const auto& at : state->whole) {
    for (const Xid& xid : at->device->xids) {
      if (xid.at > now() || !state->told_xids.insert({at->device, xid.number}).second) continue;
      *data = {};
      data->device = handle_of(*at);
      data->type = kEventXid;
      data->data = xid.number;
      return Return::kSuccess;
    }
  }
  return Return::kTimeout;
}

#ifndef FAKE_NVML_OLD
Return nvmlDeviceGetMemoryInfo_v2(Handle handle, MemoryV2* out) {
  const char* call = "nvmlDeviceGetMemoryInfo_v2";
  if (out->version != version_word<MemoryV2>(2)) return Return::kArgumentVersionMismatch;
  field(handle, "memory_reserved", &out->reserved, call);
  field(handle, "memory_used", &out->used, call);
  return field(handle, "memory_total", &out->total, call);
}
Return nvmlDeviceGetComputeRunningProcesses_v3(Handle handle, unsigned* count, ProcessInfo* list) {
  return nvmlDeviceGetComputeRunningProcesses_v2(handle, count, list);
}
Return nvmlDeviceGetGraphicsRunningProcesses_v3(Handle, unsigned* count, ProcessInfo*) {
  *count = 0;
  return Return::kSuccess;
}
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
struct FakeGpmSample {
  const Device* device;
  double t;
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
Return nvmlGpmSampleGet(Handle handle, GpmSample sample) {
  *reinterpret_cast<FakeGpmSample*>(sample) = {place(handle).device, now()};
  return trouble("nvmlGpmSampleGet", place(handle).device);
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
  }
  return Return::kSuccess;
}
#endif

}  // extern "C"
