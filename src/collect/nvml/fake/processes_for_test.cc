// The pretended driver: who uses a device, and events that it reports.
#include <unistd.h>

#include <fstream>
#include <sstream>
#include <string>
#include <vector>

#include "collect/nvml/fake/state.h"

using namespace fake_nvml;  // NOLINT: the symbols below are C's

namespace {

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

extern "C" {

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
Return nvmlDeviceGetComputeRunningProcesses_v3(Handle handle, unsigned* count, ProcessInfo* list) {
  return nvmlDeviceGetComputeRunningProcesses_v2(handle, count, list);
}
Return nvmlDeviceGetGraphicsRunningProcesses_v3(Handle, unsigned* count, ProcessInfo*) {
  *count = 0;
  return Return::kSuccess;
}
#endif

}  // extern "C"
