#include "cupti/record.h"

#include <unistd.h>

#include <cstring>

#include "core/context.h"
#include "core/memory.h"
#include "core/stream.h"
#include "core/visible.h"

// PyTorch's profiler reads older layouts: those of 13.0 begin with them.
static_assert(offsetof(CUpti_ActivityKernel10, maxActiveClusters) ==
              offsetof(CUpti_ActivityKernel9, maxActiveClusters));
static_assert(offsetof(CUpti_ActivityMemcpy6, channelType) ==
              offsetof(CUpti_ActivityMemcpy5, channelType));
static_assert(offsetof(CUpti_ActivitySynchronization2, cudaEventId) ==
              offsetof(CUpti_ActivitySynchronization, cudaEventId));

namespace simgpu::cupti {
namespace {

std::uint32_t device_id(int device) { return static_cast<std::uint32_t>(local_device(device)); }
std::uint64_t raw(Nanoseconds time) { return static_cast<std::uint64_t>(time); }

// What records of operations have in common.
template <typename Made>
Made common(const PlacedOperation& operation) {
  Made made{};
  made.start = raw(operation.start);
  made.end = raw(operation.end);
  made.deviceId = device_id(operation.device);
  made.contextId = context_number(operation.device);
  made.streamId = operation.stream;
  made.correlationId = operation.correlation;
  made.graphNodeId = operation.graph_node;
  made.graphId = operation.graph;
  made.channelType = operation.what.kind == OpKind::kKernel || operation.what.kind == OpKind::kSet
                         ? CUPTI_CHANNEL_TYPE_COMPUTE
                         : CUPTI_CHANNEL_TYPE_ASYNC_MEMCPY;
  return made;
}

// Registers, local memory and static shared memory of a kernel are not known: they are 0.
Record kernel(const PlacedOperation& operation, bool latency) {
  static std::int64_t grids = 0;
  auto made = common<CUpti_ActivityKernel10>(operation);
  const Operation& what = operation.what;
  made.completed = raw(operation.end);
  made.gridX = static_cast<std::int32_t>(what.grid[0]);
  made.gridY = static_cast<std::int32_t>(what.grid[1]);
  made.gridZ = static_cast<std::int32_t>(what.grid[2]);
  made.blockX = static_cast<std::int32_t>(what.block[0]);
  made.blockY = static_cast<std::int32_t>(what.block[1]);
  made.blockZ = static_cast<std::int32_t>(what.block[2]);
  made.dynamicSharedMemory = static_cast<std::int32_t>(what.shared_bytes);
  made.gridId = ++grids;
  made.name = what.name;
  made.queued = latency ? raw(operation.enqueued) : CUPTI_TIMESTAMP_UNKNOWN;
  made.submitted = made.queued;  // a launch goes to the device at once
  made.launchType = CUPTI_ACTIVITY_LAUNCH_TYPE_REGULAR;
  return made;
}

struct Sides {
  CUpti_ActivityMemcpyKind kind;
  CUpti_ActivityMemoryKind from, to;
};

Sides sides_of(const Operation& what) {
  const auto host =
      what.pageable ? CUPTI_ACTIVITY_MEMORY_KIND_PAGEABLE : CUPTI_ACTIVITY_MEMORY_KIND_PINNED;
  const auto device = CUPTI_ACTIVITY_MEMORY_KIND_DEVICE;
  switch (what.kind) {
    case OpKind::kCopyToDevice:
      return {CUPTI_ACTIVITY_MEMCPY_KIND_HTOD, host, device};
    case OpKind::kCopyToHost:
      return {CUPTI_ACTIVITY_MEMCPY_KIND_DTOH, device, host};
    case OpKind::kCopyPeer:
      return {CUPTI_ACTIVITY_MEMCPY_KIND_PTOP, device, device};
    default:
      return {CUPTI_ACTIVITY_MEMCPY_KIND_DTOD, device, device};
  }
}

template <typename Made>
Made copy(const PlacedOperation& operation) {
  auto made = common<Made>(operation);
  const Sides sides = sides_of(operation.what);
  made.copyKind = static_cast<std::uint8_t>(sides.kind);
  made.srcKind = static_cast<std::uint8_t>(sides.from);
  made.dstKind = static_cast<std::uint8_t>(sides.to);
  made.flags = operation.what.asynchronous ? CUPTI_ACTIVITY_FLAG_MEMCPY_ASYNC : 0;
  made.bytes = operation.what.bytes;
  return made;
}

Record peer_copy(const PlacedOperation& operation) {
  auto made = copy<CUpti_ActivityMemcpyPtoP4>(operation);
  const int from = memory::find(reinterpret_cast<const void*>(operation.what.from)).device;
  const int to = memory::find(reinterpret_cast<const void*>(operation.what.to)).device;
  if (from >= 0) {
    made.srcDeviceId = device_id(from);
    made.srcContextId = context_number(from);
  }
  if (to >= 0) {
    made.dstDeviceId = device_id(to);
    made.dstContextId = context_number(to);
  }
  return made;
}

Record one_copy(const PlacedOperation& operation) {
  auto made = copy<CUpti_ActivityMemcpy6>(operation);
  made.runtimeCorrelationId = operation.correlation;
  made.copyCount = 1;
  return made;
}

Record set(const PlacedOperation& operation) {
  auto made = common<CUpti_ActivityMemset4>(operation);
  made.value = operation.what.value;
  made.bytes = operation.what.bytes;
  made.flags = operation.what.asynchronous ? CUPTI_ACTIVITY_FLAG_MEMSET_ASYNC : 0;
  made.memoryKind = CUPTI_ACTIVITY_MEMORY_KIND_DEVICE;
  return made;
}

CUpti_ActivitySynchronizationType type_of(SyncRecord::Kind kind) {
  switch (kind) {
    case SyncRecord::Kind::kEvent:
      return CUPTI_ACTIVITY_SYNCHRONIZATION_TYPE_EVENT_SYNCHRONIZE;
    case SyncRecord::Kind::kStreamWaitsForEvent:
      return CUPTI_ACTIVITY_SYNCHRONIZATION_TYPE_STREAM_WAIT_EVENT;
    case SyncRecord::Kind::kStream:
      return CUPTI_ACTIVITY_SYNCHRONIZATION_TYPE_STREAM_SYNCHRONIZE;
    default:
      return CUPTI_ACTIVITY_SYNCHRONIZATION_TYPE_CONTEXT_SYNCHRONIZE;
  }
}

}  // namespace

CUpti_ActivityKind kind_of(const PlacedOperation& operation) {
  switch (operation.what.kind) {
    case OpKind::kKernel:
      return CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL;
    case OpKind::kSet:
      return CUPTI_ACTIVITY_KIND_MEMSET;
    case OpKind::kCopyPeer:
      return CUPTI_ACTIVITY_KIND_MEMCPY2;
    default:
      return CUPTI_ACTIVITY_KIND_MEMCPY;
  }
}

Record record_of(const PlacedOperation& operation, CUpti_ActivityKind kind, bool latency) {
  Record made = operation.what.kind == OpKind::kKernel ? kernel(operation, latency)
                : operation.what.kind == OpKind::kSet  ? set(operation)
                : kind == CUPTI_ACTIVITY_KIND_MEMCPY2  ? peer_copy(operation)
                                                       : one_copy(operation);
  std::visit([kind](auto& record) { record.kind = kind; }, made);
  return made;
}

Record record_of(const ApiCall& call, std::uint32_t function, std::uint32_t thread) {
  return CUpti_ActivityAPI{.kind = call.domain == ApiDomain::kDriver ? CUPTI_ACTIVITY_KIND_DRIVER
                                                                     : CUPTI_ACTIVITY_KIND_RUNTIME,
                           .cbid = function,
                           .start = raw(call.start),
                           .end = raw(call.end),
                           .processId = static_cast<std::uint32_t>(getpid()),
                           .threadId = thread,
                           .correlationId = call.correlation,
                           .returnValue = static_cast<std::uint32_t>(call.result)};
}

Record record_of(const SyncRecord& wait) {
  CUpti_ActivitySynchronization2 made{};
  made.kind = CUPTI_ACTIVITY_KIND_SYNCHRONIZATION;
  made.type = type_of(wait.kind);
  made.start = raw(wait.start);
  made.end = raw(wait.end);
  made.correlationId = wait.correlation;
  made.contextId = context_number(wait.device);
  made.streamId = wait.stream != 0 ? wait.stream : CUPTI_SYNCHRONIZATION_INVALID_VALUE;
  made.cudaEventId = wait.event != 0 ? static_cast<std::uint32_t>(wait.event)
                                     : CUPTI_SYNCHRONIZATION_INVALID_VALUE;
  made.cudaEventSyncId = wait.record != 0 ? wait.record : CUPTI_SYNCHRONIZATION_INVALID_VALUE;
  made.returnValue = static_cast<std::uint32_t>(wait.result);
  return made;
}

Record record_of(const EventRecord& event, bool device_time) {
  CUpti_ActivityCudaEvent2 made{};
  made.kind = CUPTI_ACTIVITY_KIND_CUDA_EVENT;
  made.correlationId = event.correlation;
  made.contextId = context_number(event.device);
  made.streamId = event.stream;
  made.eventId = static_cast<std::uint32_t>(event.event);
  made.deviceId = device_id(event.device);
  made.deviceTimestamp = device_time ? raw(event.at) : 0;
  made.cudaEventSyncId = event.record;
  return made;
}

Record context_record(int device) {
  CUpti_ActivityContext3 made{};
  made.kind = CUPTI_ACTIVITY_KIND_CONTEXT;
  made.contextId = context_number(device);
  made.deviceId = device_id(device);
  made.computeApiKind = CUPTI_ACTIVITY_COMPUTE_API_CUDA;
  made.nullStreamId = 7;
  return made;
}

Record stream_record(const Stream& stream, std::uint32_t correlation) {
  CUpti_ActivityStream made{};
  made.kind = CUPTI_ACTIVITY_KIND_STREAM;
  made.contextId = context_number(stream.device);
  made.streamId = stream.number;
  made.priority = static_cast<std::uint32_t>(stream.priority);
  made.flag = stream.kind == StreamKind::kLegacy ? CUPTI_ACTIVITY_STREAM_CREATE_FLAG_NULL
              : stream.kind == StreamKind::kNonBlocking
                  ? CUPTI_ACTIVITY_STREAM_CREATE_FLAG_NON_BLOCKING
                  : CUPTI_ACTIVITY_STREAM_CREATE_FLAG_DEFAULT;
  made.correlationId = correlation;
  return made;
}

CUpti_ActivityKind kind_of(const Record& record) {
  return std::visit([](const auto& one) { return one.kind; }, record);
}

}  // namespace simgpu::cupti
