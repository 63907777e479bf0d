// NVML API Reference Guide, "Device Queries", nvmlDeviceGetComputeRunningProcesses. A process is
// listed while it holds memory of the device, its context's included. No process draws.
#include <vector>

#include "nvml/asked.h"
#include "nvml/device.h"

using namespace simgpu::nvml;  // NOLINT: the symbols below are C's

namespace {

constexpr unsigned kNoInstance = 0xFFFFFFFF;

void place(nvmlProcessInfo_v1_t& info, bool) { (void)info; }

void place(nvmlProcessInfo_v2_t& info, bool in_instance) {
  info.gpuInstanceId = in_instance ? kGpuInstance : kNoInstance;
  info.computeInstanceId = in_instance ? kComputeInstance : kNoInstance;
}

template <typename Info>
std::vector<Info> running(simgpu::SharedDevice& state) {
  std::vector<Info> found;
  simgpu::drop_the_dead(state);
  for (const simgpu::ProcessMemory& process : state.processes) {
    if (process.pid == 0 || process.bytes == 0) {
      continue;
    }
    Info info{};
    info.pid = static_cast<unsigned>(process.pid);
    info.usedGpuMemory = process.bytes;
    place(info, asked().mig);
    found.push_back(info);
  }
  return found;
}

template <typename Info>
nvmlReturn_t list(nvmlDevice_t device, unsigned* count, Info* infos) {
  return with_state(device, {count}, [&](simgpu::SharedDevice& state) {
    if (asked().processes_denied) {
      return NVML_ERROR_NO_PERMISSION;
    }
    const auto all = asked().no_processes ? std::vector<Info>() : running<Info>(state);
    const unsigned room = *count;
    *count = static_cast<unsigned>(all.size());
    if (all.size() > room) {
      return NVML_ERROR_INSUFFICIENT_SIZE;
    }
    if (!all.empty() && infos == nullptr) {
      return NVML_ERROR_INVALID_ARGUMENT;
    }
    for (std::size_t i = 0; i < all.size(); ++i) {
      infos[i] = all[i];
    }
    return NVML_SUCCESS;
  });
}

nvmlReturn_t list_none(nvmlDevice_t device, unsigned* count) {
  return with_device(device, {count}, [&] {
    if (asked().processes_denied) {
      return NVML_ERROR_NO_PERMISSION;
    }
    *count = 0;
    return NVML_SUCCESS;
  });
}

}  // namespace

extern "C" {

nvmlReturn_t nvmlDeviceGetComputeRunningProcesses(nvmlDevice_t device, unsigned* count,
                                                  nvmlProcessInfo_v1_t* infos) {
  return list(device, count, infos);
}

nvmlReturn_t nvmlDeviceGetComputeRunningProcesses_v2(nvmlDevice_t device, unsigned* count,
                                                     nvmlProcessInfo_v2_t* infos) {
  return list(device, count, infos);
}

nvmlReturn_t nvmlDeviceGetComputeRunningProcesses_v3(nvmlDevice_t device, unsigned* count,
                                                     nvmlProcessInfo_t* infos) {
  return list(device, count, infos);
}

nvmlReturn_t nvmlDeviceGetGraphicsRunningProcesses(nvmlDevice_t device, unsigned* count,
                                                   nvmlProcessInfo_v1_t*) {
  return list_none(device, count);
}

nvmlReturn_t nvmlDeviceGetGraphicsRunningProcesses_v2(nvmlDevice_t device, unsigned* count,
                                                      nvmlProcessInfo_v2_t*) {
  return list_none(device, count);
}

nvmlReturn_t nvmlDeviceGetGraphicsRunningProcesses_v3(nvmlDevice_t device, unsigned* count,
                                                      nvmlProcessInfo_t*) {
  return list_none(device, count);
}

nvmlReturn_t nvmlDeviceGetMPSComputeRunningProcesses_v3(nvmlDevice_t device, unsigned* count,
                                                        nvmlProcessInfo_t*) {
  return list_none(device, count);
}

}  // extern "C"
