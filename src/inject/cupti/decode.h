// Bytes of one of CUPTI's records -> what it says. Pure.
#pragma once

#include <cstddef>
#include <cstdint>

#include "inject/cupti/cupti_api.h"
#include "wire/activity_record.h"

namespace flatout::inject::cupti {

// Times are those of CUPTI's clock.
struct DeviceRecord {
  wire::ActivityRecord wire;  // without head, end_ns and name
  std::uint64_t start = 0;
  std::uint64_t end = 0;
  const char* name = nullptr;  // of a kernel; CUPTI's, who keeps it
};

struct CallOfHost {
  std::uint64_t start = 0;
  std::uint64_t end = 0;
  std::uint32_t function = 0;  // number within its domain; what it was, of an overhead
  std::uint32_t thread = 0;
  std::uint32_t correlation = 0;
};

// Kind of the record, as CUPTI numbers them.
std::uint32_t kind_of(const unsigned char* record);

// False where the kind is none of these, or `bytes`, of which there are as many from `record` on to
// the end of its buffer, hold no such record.
bool decode_device(const unsigned char* record, std::size_t bytes, DeviceRecord* out);
bool decode_call(const unsigned char* record, std::size_t bytes, CallOfHost* out);
bool decode_overhead(const unsigned char* record, std::size_t bytes, CallOfHost* out);

// "CUPTI: lazy loading of a function".
const char* name_of_overhead(std::uint32_t what);

}  // namespace flatout::inject::cupti
