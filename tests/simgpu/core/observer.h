// Who looks on: CUPTI, where it is loaded. At most one a process.
#pragma once

#include <cstdint>

#include "core/operation.h"

namespace simgpu {

struct Stream;

enum class ApiDomain : std::uint8_t { kRuntime, kDriver, kLibrary };

struct ApiCall {
  const char* name = "";
  ApiDomain domain = ApiDomain::kRuntime;
  std::uint32_t correlation = 0;
  Nanoseconds start = 0, end = 0;
  const void* parameters = nullptr;  // as NVIDIA's generated_cuda_..._meta.h lays them out, or null
  const char* symbol = nullptr;      // of a launch: the kernel, mangled
  int result = 0;
  std::uint64_t kept = 0;  // for the observer, from entry to exit
};

struct SyncRecord {  // a wait of the host, or of a stream for an event
  enum class Kind : std::uint8_t { kEvent, kStreamWaitsForEvent, kStream, kDevice } kind;
  Nanoseconds start = 0, end = 0;
  std::int32_t device = 0;
  std::uint32_t stream = 0;  // 0 where it is not of a stream
  std::uint64_t event = 0;   // number of the event, 0: none
  std::uint32_t correlation = 0;
  std::uint64_t record = 0;  // number of the event's last record, 0: none
  void* handle = nullptr;    // of the stream, as the program knows it
  int result = 0;
};

struct EventRecord {  // an event was recorded; `at` may still lie ahead
  std::int32_t device;
  std::uint32_t stream;
  std::uint64_t event;
  std::uint64_t record;
  std::uint32_t correlation;
  Nanoseconds enqueued, at;
};

// From any thread of the program. entered() and left() hold no lock, so that they may wait for
// other threads; all others are called with the process's lock held and must not. The times of an
// operation may still lie ahead.
class Observer {
 public:
  virtual ~Observer() = default;
  // Of runtime and driver; not of a call that another one of its own domain makes.
  virtual void entered(ApiCall& call) = 0;
  virtual void left(ApiCall& call) = 0;
  virtual void placed(const PlacedOperation& operation) = 0;
  virtual void waited(const SyncRecord& record) = 0;
  virtual void recorded(const EventRecord& record) = 0;
  virtual void context_opened(int device) = 0;
  virtual void stream_made(const Stream& stream) = 0;
  virtual void stream_ends(const Stream& stream) = 0;
};

// Not owned; null takes it away.
void set_observer(Observer* observer);
Observer* observer();

}  // namespace simgpu
