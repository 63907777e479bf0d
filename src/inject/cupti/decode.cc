#include "inject/cupti/decode.h"

#include <cstring>

#include "inject/cupti/layout.h"
#include "run/activity.h"

namespace flatout::inject::cupti {
namespace {

template <typename T>
T field(const unsigned char* record, std::size_t at) {
  T value;
  std::memcpy(&value, record + at, sizeof value);
  return value;
}

// CUpti_ActivityMemcpyKind; arrays (A) are memory of the device.
run::CopyDirection direction_of(std::uint8_t copy) {
  switch (copy) {
    case 1:  // HtoD
    case 3:  // HtoA
      return run::CopyDirection::kHostToDevice;
    case 2:  // DtoH
    case 4:  // AtoH
      return run::CopyDirection::kDeviceToHost;
    case 5:   // AtoA
    case 6:   // AtoD
    case 7:   // DtoA
    case 8:   // DtoD
    case 10:  // PtoP
      return run::CopyDirection::kDeviceToDevice;
    default:
      return run::CopyDirection::kUnknown;
  }
}

// CUpti_ActivityMemoryKind
run::HostMemory host_memory_of(std::uint8_t from, std::uint8_t to) {
  constexpr std::uint8_t kPageable = 1;
  constexpr std::uint8_t kPinned = 2;
  if (from == kPageable || to == kPageable) return run::HostMemory::kPageable;
  if (from == kPinned || to == kPinned) return run::HostMemory::kPinned;
  return run::HostMemory::kUnknown;
}

template <typename Layout>
void read_place(const unsigned char* record, DeviceRecord* out) {
  out->start = field<std::uint64_t>(record, Layout::kStart);
  out->end = field<std::uint64_t>(record, Layout::kEnd);
  out->wire.device = static_cast<std::uint16_t>(field<std::uint32_t>(record, Layout::kDevice));
  const auto context = field<std::uint32_t>(record, Layout::kContext);
  out->wire.context = static_cast<std::uint16_t>(context <= 0xffff ? context : 0);
  out->wire.stream = field<std::uint32_t>(record, Layout::kStream);
}

template <typename Layout>
void read_origin(const unsigned char* record, DeviceRecord* out) {
  out->wire.correlation = field<std::uint32_t>(record, Layout::kCorrelation);
  out->wire.graph = field<std::uint32_t>(record, Layout::kGraph);
  out->wire.graph_node =
      static_cast<std::uint32_t>(field<std::uint64_t>(record, Layout::kGraphNode));
}

void read_kernel(const unsigned char* record, DeviceRecord* out) {
  read_place<KernelLayout>(record, out);
  read_origin<KernelLayout>(record, out);
  out->wire.kind = static_cast<std::uint8_t>(run::ActivityKind::kKernel);
  out->wire.bytes = wire::kUnknownBytes;
  out->name = field<const char*>(record, KernelLayout::kName);
}

void read_copy(const unsigned char* record, DeviceRecord* out) {
  read_place<CopyLayout>(record, out);
  out->wire.kind = static_cast<std::uint8_t>(run::ActivityKind::kCopy);
  out->wire.bytes = field<std::uint64_t>(record, CopyLayout::kBytes);
  out->wire.direction =
      static_cast<std::uint8_t>(direction_of(field<std::uint8_t>(record, CopyLayout::kCopyKind)));
  out->wire.host_memory =
      static_cast<std::uint8_t>(host_memory_of(field<std::uint8_t>(record, CopyLayout::kFrom),
                                               field<std::uint8_t>(record, CopyLayout::kTo)));
}

void read_set(const unsigned char* record, DeviceRecord* out) {
  read_place<SetLayout>(record, out);
  read_origin<SetLayout>(record, out);
  out->wire.kind = static_cast<std::uint8_t>(run::ActivityKind::kMemset);
  out->wire.bytes = field<std::uint64_t>(record, SetLayout::kBytes);
}

}  // namespace

std::uint32_t kind_of(const unsigned char* record) { return field<std::uint32_t>(record, 0); }

bool decode_device(const unsigned char* record, std::size_t bytes, DeviceRecord* out) {
  if (bytes < sizeof(std::uint32_t)) return false;
  *out = {};
  switch (static_cast<RecordKind>(kind_of(record))) {
    case RecordKind::kKernel:
    case RecordKind::kConcurrentKernel:
      if (bytes < KernelLayout::kLeastBytes) return false;
      read_kernel(record, out);
      return true;
    case RecordKind::kMemcpy:
      if (bytes < CopyLayout::kLeastBytes) return false;
      read_copy(record, out);
      read_origin<CopyLayout>(record, out);
      return true;
    case RecordKind::kMemcpy2:
      if (bytes < PeerCopyLayout::kLeastBytes) return false;
      read_copy(record, out);
      read_origin<PeerCopyLayout>(record, out);
      return true;
    case RecordKind::kMemset:
      if (bytes < SetLayout::kLeastBytes) return false;
      read_set(record, out);
      return true;
    default:
      return false;
  }
}

bool decode_call(const unsigned char* record, std::size_t bytes, CallOfHost* out) {
  if (bytes < CallLayout::kLeastBytes) return false;
  const auto kind = static_cast<RecordKind>(kind_of(record));
  if (kind != RecordKind::kRuntime && kind != RecordKind::kDriver) return false;
  out->start = field<std::uint64_t>(record, CallLayout::kStart);
  out->end = field<std::uint64_t>(record, CallLayout::kEnd);
  out->function = field<std::uint32_t>(record, CallLayout::kFunction);
  out->thread = field<std::uint32_t>(record, CallLayout::kThread);
  out->correlation = field<std::uint32_t>(record, CallLayout::kCorrelation);
  return true;
}

bool decode_overhead(const unsigned char* record, std::size_t bytes, CallOfHost* out) {
  constexpr std::uint32_t kOfThread = 2;  // CUpti_ActivityObjectKind
  if (bytes < OverheadLayout::kLeastBytes) return false;
  if (static_cast<RecordKind>(kind_of(record)) != RecordKind::kOverhead) return false;
  if (field<std::uint32_t>(record, OverheadLayout::kObject) != kOfThread) return false;
  out->start = field<std::uint64_t>(record, OverheadLayout::kStart);
  out->end = field<std::uint64_t>(record, OverheadLayout::kEnd);
  out->function = field<std::uint32_t>(record, OverheadLayout::kWhat);
  out->thread = field<std::uint32_t>(record, OverheadLayout::kThread);
  out->correlation = 0;
  return true;
}

// CUpti_ActivityOverheadKind
const char* name_of_overhead(std::uint32_t what) {
  if (what == 1) return "CUPTI: compiling in the driver";
  switch (what >> 16) {
    case 1:
      return "CUPTI: flush";
    case 2:
      return "CUPTI: instrumentation";
    case 3:
      return "CUPTI: making its resources";
    case 4:
      return "CUPTI: loading a module";
    case 5:
      return "CUPTI: lazy loading of a function";
    case 6:
      return "CUPTI: command buffer full";
    case 7:
      return "CUPTI: asking for a buffer";
    default:
      return "CUPTI: overhead";
  }
}

}  // namespace flatout::inject::cupti
