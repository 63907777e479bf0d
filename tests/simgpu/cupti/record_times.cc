#include <cstring>

#include "cupti/record.h"

namespace simgpu::cupti {
namespace {

template <typename Time>
void convert(Time& time, const ClientClock& clock) {
  if (time != 0) {  // 0: not known
    time = clock.convert(static_cast<Nanoseconds>(time));
  }
}

template <typename One>
void convert_all(One& record, const ClientClock& clock) {
  if constexpr (requires { record.end; }) {
    const std::uint64_t start = record.start;
    const std::uint64_t end = record.end;
    std::uint64_t converted_start = start;
    std::uint64_t converted_end = end;
    convert(converted_start, clock);
    convert(converted_end, clock);
    record.start = converted_start;
    record.end = converted_end;
  }
  if constexpr (std::is_same_v<One, CUpti_ActivityKernel10>) {
    record.completed = record.end;
    std::uint64_t queued = record.queued;
    convert(queued, clock);
    record.queued = record.submitted = queued;
  }
  if constexpr (std::is_same_v<One, CUpti_ActivityCudaEvent2>) {
    std::uint64_t at = record.deviceTimestamp;
    convert(at, clock);
    record.deviceTimestamp = at;
  }
}

constexpr std::size_t rounded(std::size_t bytes) { return (bytes + 7) / 8 * 8; }

}  // namespace

void forget_times(Record& record) {
  std::visit(
      [](auto& one) {
        if constexpr (requires { one.end; }) {
          one.start = one.end = 0;
        }
      },
      record);
}

std::size_t bytes_of(CUpti_ActivityKind kind) {
  switch (kind) {
    case CUPTI_ACTIVITY_KIND_KERNEL:
    case CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL:
      return rounded(sizeof(CUpti_ActivityKernel10));
    case CUPTI_ACTIVITY_KIND_MEMCPY:
      return rounded(sizeof(CUpti_ActivityMemcpy6));
    case CUPTI_ACTIVITY_KIND_MEMCPY2:
      return rounded(sizeof(CUpti_ActivityMemcpyPtoP4));
    case CUPTI_ACTIVITY_KIND_MEMSET:
      return rounded(sizeof(CUpti_ActivityMemset4));
    case CUPTI_ACTIVITY_KIND_DRIVER:
    case CUPTI_ACTIVITY_KIND_RUNTIME:
      return rounded(sizeof(CUpti_ActivityAPI));
    case CUPTI_ACTIVITY_KIND_SYNCHRONIZATION:
      return rounded(sizeof(CUpti_ActivitySynchronization2));
    case CUPTI_ACTIVITY_KIND_EXTERNAL_CORRELATION:
      return rounded(sizeof(CUpti_ActivityExternalCorrelation));
    case CUPTI_ACTIVITY_KIND_OVERHEAD:
      return rounded(sizeof(CUpti_ActivityOverhead3));
    case CUPTI_ACTIVITY_KIND_CUDA_EVENT:
      return rounded(sizeof(CUpti_ActivityCudaEvent2));
    case CUPTI_ACTIVITY_KIND_CONTEXT:
      return rounded(sizeof(CUpti_ActivityContext3));
    case CUPTI_ACTIVITY_KIND_STREAM:
      return rounded(sizeof(CUpti_ActivityStream));
    default:
      return 0;
  }
}

void write(const Record& record, const ClientClock& clock, std::uint8_t* to) {
  std::visit(
      [&](auto one) {
        convert_all(one, clock);
        std::memcpy(to, &one, sizeof(one));
        std::memset(to + sizeof(one), 0, rounded(sizeof(one)) - sizeof(one));
      },
      record);
}

}  // namespace simgpu::cupti
