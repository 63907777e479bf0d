// The part of NVIDIA's CUPTI that the agent calls, declared by ourselves: CUPTI is opened at run
// time, from the CUDA that the process uses, and its headers are not needed to build. Numbers and
// signatures are the same from CUPTI 12.0 on; tests/simgpu/abi/cupti.cc holds them to NVIDIA's
// headers.
#pragma once

#include <cstddef>
#include <cstdint>

namespace flatout::inject::cupti {

using Status = int;
constexpr Status kSuccess = 0;
constexpr Status kMultipleSubscribers = 39;

// CUpti_ActivityKind, of what is asked for.
enum class RecordKind : std::uint32_t {
  kMemcpy = 1,
  kMemset = 2,
  kKernel = 3,
  kDriver = 4,
  kRuntime = 5,
  kConcurrentKernel = 10,
  kOverhead = 17,
  kMemcpy2 = 22,
};

enum class Domain : std::uint32_t { kDriver = 1, kRuntime = 2 };  // CUpti_CallbackDomain

constexpr std::uint32_t kFlushForced = 1;      // also what has not ended
constexpr std::uint32_t kSystemThreadIds = 1;  // gettid(2) instead of pthread_self(3)

// What CUPTI hands out, and we only hand back.
struct SubscriberTag;
struct ContextTag;
struct RecordTag;

using RequestBuffer = void (*)(std::uint8_t** buffer, std::size_t* bytes, std::size_t* most);
using CompleteBuffer = void (*)(ContextTag* context, std::uint32_t stream, std::uint8_t* buffer,
                                std::size_t bytes, std::size_t valid);
using Timestamp = std::uint64_t (*)();
using Callback = void (*)(void* user, std::uint32_t domain, std::uint32_t id, const void* data);

// Functions of one libcupti. Those behind `optional` may be null.
struct Api {
  Status (*get_version)(std::uint32_t*);
  Status (*get_timestamp)(std::uint64_t*);
  Status (*subscribe)(SubscriberTag** subscriber, Callback, void* user);
  Status (*unsubscribe)(SubscriberTag* subscriber);
  Status (*register_callbacks)(RequestBuffer, CompleteBuffer);
  Status (*enable)(std::uint32_t kind);
  Status (*disable)(std::uint32_t kind);
  Status (*flush_all)(std::uint32_t flags);
  Status (*next_record)(std::uint8_t* buffer, std::size_t valid, RecordTag** record);
  Status (*dropped)(ContextTag* context, std::uint32_t stream, std::size_t* count);
  Status (*callback_name)(std::uint32_t domain, std::uint32_t id, const char** name);
  // optional
  Status (*use_clock)(Timestamp);
  Status (*set_thread_ids)(std::uint32_t type);
  Status (*get_thread_ids)(std::uint32_t* type);
  Status (*enable_driver_call)(std::uint32_t id, std::uint8_t on);   // from 12.5 on
  Status (*enable_runtime_call)(std::uint32_t id, std::uint8_t on);  // likewise
};

}  // namespace flatout::inject::cupti
