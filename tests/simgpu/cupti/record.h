// Activity records, in the layout of CUDA 13.0 (cupti_activity.h); their times are the timeline's
// until they are written into a buffer.
#pragma once

#include <cupti.h>

#include <cstddef>
#include <optional>
#include <variant>

#include "core/observer.h"
#include "cupti/clock.h"

namespace simgpu::cupti {

using Record =
    std::variant<CUpti_ActivityKernel10, CUpti_ActivityMemcpy6, CUpti_ActivityMemcpyPtoP4,
                 CUpti_ActivityMemset4, CUpti_ActivityAPI, CUpti_ActivitySynchronization2,
                 CUpti_ActivityExternalCorrelation, CUpti_ActivityOverhead3,
                 CUpti_ActivityCudaEvent2, CUpti_ActivityContext3, CUpti_ActivityStream>;

CUpti_ActivityKind kind_of(const PlacedOperation& operation);  // CONCURRENT_KERNEL for kernels

Record record_of(const PlacedOperation& operation, CUpti_ActivityKind kind, bool latency);
Record record_of(const ApiCall& call, std::uint32_t function, std::uint32_t thread);
Record record_of(const SyncRecord& wait);
Record record_of(const EventRecord& event, bool device_time);
Record context_record(int device);
Record stream_record(const Stream& stream, std::uint32_t correlation);

// Without times: what has not ended yet (cuptiActivityGetNextRecord: "may contain invalid (0)
// timestamps").
void forget_times(Record& record);

// Bytes of a record of that kind in a buffer, a multiple of eight; 0 for a kind that is not
// written.
std::size_t bytes_of(CUpti_ActivityKind kind);

// Writes it with the client's times; `to` has bytes_of() its kind.
CUpti_ActivityKind kind_of(const Record& record);
void write(const Record& record, const ClientClock& clock, std::uint8_t* to);

}  // namespace simgpu::cupti
