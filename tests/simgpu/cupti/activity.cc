// What is recorded: CUPTI documentation, "Activity API", cuptiActivityEnable and its siblings.
#include <cupti.h>

#include <algorithm>
#include <array>

#include "core/config.h"
#include "core/context.h"
#include "core/process.h"
#include "cupti/collector.h"
#include "cupti/watch.h"

namespace {

using simgpu::ApiDomain;
using simgpu::cupti::collector;

constexpr std::array kLegacy = {CUPTI_ACTIVITY_KIND_SOURCE_LOCATOR,
                                CUPTI_ACTIVITY_KIND_GLOBAL_ACCESS,
                                CUPTI_ACTIVITY_KIND_BRANCH,
                                CUPTI_ACTIVITY_KIND_INSTRUCTION_EXECUTION,
                                CUPTI_ACTIVITY_KIND_SHARED_ACCESS,
                                CUPTI_ACTIVITY_KIND_PC_SAMPLING,
                                CUPTI_ACTIVITY_KIND_PC_SAMPLING_RECORD_INFO,
                                CUPTI_ACTIVITY_KIND_INSTRUCTION_CORRELATION};

// Kinds that are in the header, but not simulated, are answered like those that are not supported.
CUptiResult refusal(CUpti_ActivityKind kind) {
  if (std::find(kLegacy.begin(), kLegacy.end(), kind) != kLegacy.end()) {
    return CUPTI_ERROR_LEGACY_PROFILER_NOT_SUPPORTED;
  }
  if (kind == CUPTI_ACTIVITY_KIND_EVENT || kind == CUPTI_ACTIVITY_KIND_METRIC) {
    return CUPTI_ERROR_NOT_COMPATIBLE;  // "cannot be directly enabled or disabled"
  }
  return simgpu::cupti::bytes_of(kind) == 0 ? CUPTI_ERROR_INVALID_KIND : CUPTI_SUCCESS;
}

CUptiResult set(CUpti_ActivityKind kind, bool on) {
  const CUptiResult refused = refusal(kind);
  if (refused != CUPTI_SUCCESS) {
    return refused;
  }
  simgpu::cupti::watch();
  const std::lock_guard guard(collector().lock);
  collector().selection.set(kind, on);
  return CUPTI_SUCCESS;
}

CUptiResult set_for(CUcontext context, CUpti_ActivityKind kind, bool on) {
  const CUptiResult refused = refusal(kind);
  const int device = simgpu::device_of_context(context);
  if (refused != CUPTI_SUCCESS || device < 0) {
    return refused != CUPTI_SUCCESS ? refused : CUPTI_ERROR_INVALID_CONTEXT;
  }
  simgpu::cupti::watch();
  const std::lock_guard guard(collector().lock);
  collector().selection.set_for(kind, device, on);
  return CUPTI_SUCCESS;
}

CUptiResult set_function(ApiDomain domain, std::uint32_t function, bool on) {
  simgpu::cupti::watch();
  const std::lock_guard guard(collector().lock);
  return collector().selection.set_function(domain, function, on);
}

void dump_contexts() {
  for (int device = 0; device < simgpu::device_count(); ++device) {
    if (simgpu::has_context(device)) {  // asks with the process's lock, which comes before ours
      const auto record = simgpu::cupti::context_record(device);
      const std::lock_guard guard(collector().lock);
      collector().add(record);
    }
  }
}

void dump_streams() {
  const simgpu::Locked guard(simgpu::process().lock);
  for (const simgpu::Stream* const stream : simgpu::process().streams) {
    const std::lock_guard own(collector().lock);
    collector().add(simgpu::cupti::stream_record(*stream, 0));
  }
}

CUptiResult set_option(bool simgpu::cupti::Options::* option, bool on) {
  const std::lock_guard guard(collector().lock);
  collector().options.*option = on;
  return CUPTI_SUCCESS;
}

}  // namespace

extern "C" {

CUptiResult cuptiActivityEnable(CUpti_ActivityKind kind) { return set(kind, true); }
CUptiResult cuptiActivityDisable(CUpti_ActivityKind kind) { return set(kind, false); }

CUptiResult cuptiActivityEnableContext(CUcontext context, CUpti_ActivityKind kind) {
  return set_for(context, kind, true);
}
CUptiResult cuptiActivityDisableContext(CUcontext context, CUpti_ActivityKind kind) {
  return set_for(context, kind, false);
}

CUptiResult cuptiActivityEnableAndDump(CUpti_ActivityKind kind) {
  const CUptiResult status = set(kind, true);
  if (status == CUPTI_SUCCESS && kind == CUPTI_ACTIVITY_KIND_CONTEXT) {
    dump_contexts();
  } else if (status == CUPTI_SUCCESS && kind == CUPTI_ACTIVITY_KIND_STREAM) {
    dump_streams();
  }
  return status;
}

CUptiResult cuptiActivityEnableRuntimeApi(CUpti_CallbackId function, uint8_t enable) {
  return set_function(ApiDomain::kRuntime, function, enable != 0);
}
CUptiResult cuptiActivityEnableDriverApi(CUpti_CallbackId function, uint8_t enable) {
  return set_function(ApiDomain::kDriver, function, enable != 0);
}

CUptiResult cuptiActivityEnableLatencyTimestamps(uint8_t enable) {
  return set_option(&simgpu::cupti::Options::latency, enable != 0);
}
CUptiResult cuptiActivityEnableCudaEventDeviceTimestamps(uint8_t enable) {
  return set_option(&simgpu::cupti::Options::event_times, enable != 0);
}
CUptiResult cuptiActivityEnableAllSyncRecords(uint8_t enable) {
  return set_option(&simgpu::cupti::Options::failed_syncs, enable != 0);
}

CUptiResult cuptiSetThreadIdType(CUpti_ActivityThreadIdType type) {
  if (type != CUPTI_ACTIVITY_THREAD_ID_TYPE_DEFAULT &&
      type != CUPTI_ACTIVITY_THREAD_ID_TYPE_SYSTEM) {
    return CUPTI_ERROR_NOT_SUPPORTED;
  }
  return set_option(&simgpu::cupti::Options::system_thread_ids,
                    type == CUPTI_ACTIVITY_THREAD_ID_TYPE_SYSTEM);
}

CUptiResult cuptiGetThreadIdType(CUpti_ActivityThreadIdType* type) {
  if (type == nullptr) {
    return CUPTI_ERROR_INVALID_PARAMETER;
  }
  const std::lock_guard guard(collector().lock);
  *type = collector().options.system_thread_ids ? CUPTI_ACTIVITY_THREAD_ID_TYPE_SYSTEM
                                                : CUPTI_ACTIVITY_THREAD_ID_TYPE_DEFAULT;
  return CUPTI_SUCCESS;
}
}
