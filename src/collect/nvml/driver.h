// The driver's library: opened at run time, its functions by name. A function
// that this version lacks is null, and calling it gives kFunctionNotFound.
#pragma once

#include <dlfcn.h>

#include <atomic>
#include <memory>
#include <string>

#include "base/result.h"
#include "collect/nvml/abi.h"

namespace flatout::collect::nvml {

constexpr const char* kLibrary = "libnvidia-ml.so.1";

template <typename... Args>
struct Function {
  using Pointer = Return (*)(Args...);
  Function(void* library, const char* symbol)
      : name(symbol), pointer(reinterpret_cast<Pointer>(::dlsym(library, symbol))) {}
  const char* name;
  Pointer pointer;
};

struct Functions {
  explicit Functions(void* opened) : library(opened) {}
  void* library;

  Function<> init{library, "nvmlInit_v2"};
  Function<> shutdown{library, "nvmlShutdown"};
  Function<char*, unsigned> driver_version{library, "nvmlSystemGetDriverVersion"};
  Function<unsigned*> device_count{library, "nvmlDeviceGetCount_v2"};
  Function<unsigned, Handle*> device{library, "nvmlDeviceGetHandleByIndex_v2"};

  // Facts.
  Function<Handle, char*, unsigned> name{library, "nvmlDeviceGetName"};
  Function<Handle, char*, unsigned> uuid{library, "nvmlDeviceGetUUID"};
  Function<Handle, Pci*> pci{library, "nvmlDeviceGetPciInfo_v3"};
  Function<Handle, int*, int*> capability{library, "nvmlDeviceGetCudaComputeCapability"};
  Function<Handle, Threshold, unsigned*> threshold{library, "nvmlDeviceGetTemperatureThreshold"};
  Function<Handle, Clock, unsigned*> clock_max{library, "nvmlDeviceGetMaxClockInfo"};
  Function<Handle, unsigned*> pcie_generation_max{library, "nvmlDeviceGetMaxPcieLinkGeneration"};
  Function<Handle, unsigned*> pcie_width_max{library, "nvmlDeviceGetMaxPcieLinkWidth"};
  Function<Handle, unsigned, int*> nvlink_state{library, "nvmlDeviceGetNvLinkState"};
  Function<Handle, unsigned*, unsigned*> mig_mode{library, "nvmlDeviceGetMigMode"};
  Function<Handle, unsigned*> mig_count{library, "nvmlDeviceGetMaxMigDeviceCount"};
  Function<Handle, unsigned, Handle*> mig_device{library, "nvmlDeviceGetMigDeviceHandleByIndex"};
  Function<Handle, unsigned*> gpu_instance{library, "nvmlDeviceGetGpuInstanceId"};

  // Series.
  Function<Handle, SamplingType, unsigned long long, ValueType*, unsigned*, BufferedSample*>
      samples{library, "nvmlDeviceGetSamples"};
  Function<Handle, Utilization*> utilization{library, "nvmlDeviceGetUtilizationRates"};
  Function<Handle, MemoryV1*> memory_v1{library, "nvmlDeviceGetMemoryInfo"};
  Function<Handle, MemoryV2*> memory_v2{library, "nvmlDeviceGetMemoryInfo_v2"};
  Function<Handle, unsigned*> power{library, "nvmlDeviceGetPowerUsage"};
  Function<Handle, unsigned*> power_limit{library, "nvmlDeviceGetEnforcedPowerLimit"};
  Function<Handle, Sensor, unsigned*> temperature{library, "nvmlDeviceGetTemperature"};
  Function<Handle, Clock, unsigned*> clock{library, "nvmlDeviceGetClockInfo"};
  Function<Handle, Policy, ViolationTime*> violation{library, "nvmlDeviceGetViolationStatus"};
  // The older name works in every driver up to now.
  Function<Handle, unsigned long long*> reasons{library,
                                                "nvmlDeviceGetCurrentClocksThrottleReasons"};
  Function<Handle, unsigned*> pcie_generation{library, "nvmlDeviceGetCurrPcieLinkGeneration"};
  Function<Handle, unsigned*> pcie_width{library, "nvmlDeviceGetCurrPcieLinkWidth"};
  Function<Handle, PcieCounter, unsigned*> pcie_throughput{library, "nvmlDeviceGetPcieThroughput"};
  Function<Handle, int, FieldValue*> fields{library, "nvmlDeviceGetFieldValues"};
  Function<Handle, EccError, EccCounter, unsigned long long*> ecc{library,
                                                                  "nvmlDeviceGetTotalEccErrors"};
  Function<Handle, unsigned*, unsigned*> encoder{library, "nvmlDeviceGetEncoderUtilization"};
  Function<Handle, unsigned*, unsigned*> decoder{library, "nvmlDeviceGetDecoderUtilization"};
  Function<Handle, unsigned*, ProcessInfo*> compute_processes{
      library, "nvmlDeviceGetComputeRunningProcesses_v3"};
  Function<Handle, unsigned*, ProcessInfo*> compute_processes_v2{
      library, "nvmlDeviceGetComputeRunningProcesses_v2"};
  Function<Handle, unsigned*, ProcessInfo*> graphics_processes{
      library, "nvmlDeviceGetGraphicsRunningProcesses_v3"};
  Function<Handle, ProcessUtilization*, unsigned*, unsigned long long> process_utilization{
      library, "nvmlDeviceGetProcessUtilization"};

  // Events.
  Function<EventSet*> event_set{library, "nvmlEventSetCreate"};
  Function<EventSet> event_set_free{library, "nvmlEventSetFree"};
  Function<Handle, unsigned long long, EventSet> register_events{library,
                                                                 "nvmlDeviceRegisterEvents"};
  Function<EventSet, EventData*, unsigned> event_wait{library, "nvmlEventSetWait_v2"};

  // GPM.
  Function<Handle, GpmSupport*> gpm_support{library, "nvmlGpmQueryDeviceSupport"};
  Function<GpmSample*> gpm_alloc{library, "nvmlGpmSampleAlloc"};
  Function<GpmSample> gpm_free{library, "nvmlGpmSampleFree"};
  Function<Handle, GpmSample> gpm_sample{library, "nvmlGpmSampleGet"};
  Function<Handle, unsigned, GpmSample> gpm_instance_sample{library, "nvmlGpmMigSampleGet"};
  Function<GpmRequest*> gpm_metrics{library, "nvmlGpmMetricsGet"};
};

// The name of the call that is under way, for whoever watches from another thread.
using CallName = std::atomic<const char*>;

// One thread. Never closes the library: a thread that hangs in it may return.
class Driver {
 public:
  // kUnavailable with an empty message: there is no NVIDIA driver here, which is
  // nothing to report. Any other message: there is one, and this is what keeps
  // us from it. `path` empty = the system's library.
  static base::Result<std::unique_ptr<Driver>> open(const std::string& path,
                                                    std::shared_ptr<CallName> call_name);
  ~Driver();
  Driver(const Driver&) = delete;
  Driver& operator=(const Driver&) = delete;

  template <typename... Params, typename... Args>
  Return call(const Function<Params...>& function, Args... args) {
    last_call_ = function.name;
    if (function.pointer == nullptr) return Return::kFunctionNotFound;
    call_name_->store(function.name, std::memory_order_relaxed);
    const Return code = function.pointer(args...);
    call_name_->store(nullptr, std::memory_order_relaxed);
    return code;
  }
  // Of the latest call.
  const char* last_call() const { return last_call_; }

  const Functions f;
  std::string version;  // of the driver, "" = not told

 private:
  Driver(void* library, std::shared_ptr<CallName> call_name)
      : f(library), call_name_(std::move(call_name)) {}
  base::Result<void> initialise();

  std::shared_ptr<CallName> call_name_;
  const char* last_call_ = "";
  bool initialised_ = false;
};

// Why a call gave `code`, for people: "the driver does not give it for this device".
std::string reason(Return code, const char* call);

}  // namespace flatout::collect::nvml
