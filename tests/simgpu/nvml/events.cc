// NVML API Reference Guide, "Event Handling Methods". The one event is an Xid error: a kernel that
// ends with an illegal address (SIMGPU_FAULT) is Xid 31 (NVIDIA's "Xid Errors": memory management
// unit fault).
#include <algorithm>
#include <map>
#include <mutex>
#include <set>

#include "nvml/device.h"
#include "nvml/init.h"

struct nvmlEventSet_st {
  std::map<nvmlDevice_t, std::uint32_t> seen;  // faults of each device that were told of
};

using namespace simgpu::nvml;  // NOLINT: the symbols below are C's

namespace {

constexpr unsigned long long kIllegalAddressXid = 31;
constexpr unsigned kNoInstance = 0xFFFFFFFF;
constexpr simgpu::Nanoseconds kLook = 5 * simgpu::kMillisecond;

std::mutex& sets_lock() {
  static auto* const lock = new std::mutex;
  return *lock;
}

std::set<nvmlEventSet_t>& sets() {
  static auto* const all = new std::set<nvmlEventSet_t>;
  return *all;
}

std::uint32_t faults_until(const simgpu::Faults& faults, simgpu::Nanoseconds at) {
  std::uint32_t ahead = 0;
  for (std::uint32_t i = 0; i < std::min(faults.count, simgpu::Faults::kMost); ++i) {
    ahead += faults.at[i] > at ? 1 : 0;
  }
  return faults.count - ahead;
}

std::uint32_t faults_of(nvmlDevice_t device) {
  simgpu::SharedDevice* const state = simgpu::shared_device(device->index);
  if (state == nullptr) {
    return 0;
  }
  const simgpu::SharedLock guard(*state);
  return faults_until(state->faults, simgpu::now());
}

bool take_event(nvmlEventSet_t set, nvmlEventData_t* data) {
  const std::lock_guard guard(sets_lock());
  for (auto& [device, seen] : set->seen) {
    if (faults_of(device) > seen) {
      ++seen;
      *data = {.device = device,
               .eventType = nvmlEventTypeXidCriticalError,
               .eventData = kIllegalAddressXid,
               .gpuInstanceId = kNoInstance,
               .computeInstanceId = kNoInstance};
      return true;
    }
  }
  return false;
}

bool is_ours(nvmlEventSet_t set) {
  const std::lock_guard guard(sets_lock());
  return sets().contains(set);
}

}  // namespace

extern "C" {

nvmlReturn_t nvmlEventSetCreate(nvmlEventSet_t* set) {
  if (!is_initialized()) {
    return NVML_ERROR_UNINITIALIZED;
  }
  if (set == nullptr) {
    return NVML_ERROR_INVALID_ARGUMENT;
  }
  *set = new nvmlEventSet_st;
  const std::lock_guard guard(sets_lock());
  sets().insert(*set);
  return NVML_SUCCESS;
}

nvmlReturn_t nvmlEventSetFree(nvmlEventSet_t set) {
  const std::lock_guard guard(sets_lock());
  if (sets().erase(set) == 0) {
    return NVML_ERROR_INVALID_ARGUMENT;
  }
  delete set;
  return NVML_SUCCESS;
}

nvmlReturn_t nvmlDeviceGetSupportedEventTypes(nvmlDevice_t device, unsigned long long* types) {
  return with_device(device, {types}, [&] {
    *types = nvmlEventTypeXidCriticalError;
    return NVML_SUCCESS;
  });
}

// "After calling this API, the events may be delivered": none from before.
nvmlReturn_t nvmlDeviceRegisterEvents(nvmlDevice_t device, unsigned long long types,
                                      nvmlEventSet_t set) {
  return with_device(device, {set}, [&] {
    if (!is_ours(set)) {
      return NVML_ERROR_INVALID_ARGUMENT;
    }
    if (device->is_instance || (types & ~nvmlEventTypeXidCriticalError) != 0) {
      return NVML_ERROR_NOT_SUPPORTED;
    }
    const std::uint32_t so_far = faults_of(device);
    const std::lock_guard guard(sets_lock());
    set->seen.try_emplace(device, so_far);
    return NVML_SUCCESS;
  });
}

nvmlReturn_t nvmlEventSetWait_v2(nvmlEventSet_t set, nvmlEventData_t* data, unsigned timeout_ms) {
  if (!is_initialized()) {
    return NVML_ERROR_UNINITIALIZED;
  }
  if (data == nullptr || !is_ours(set)) {
    return NVML_ERROR_INVALID_ARGUMENT;
  }
  const simgpu::Nanoseconds until = simgpu::now() + timeout_ms * simgpu::kMillisecond;
  while (!take_event(set, data)) {
    const simgpu::Nanoseconds at = simgpu::now();
    if (at >= until) {
      return NVML_ERROR_TIMEOUT;
    }
    simgpu::wait_until(std::min(until, at + kLook));
  }
  return NVML_SUCCESS;
}

nvmlReturn_t nvmlEventSetWait(nvmlEventSet_t set, nvmlEventData_t* data, unsigned timeout_ms) {
  return nvmlEventSetWait_v2(set, data, timeout_ms);
}

}  // extern "C"
