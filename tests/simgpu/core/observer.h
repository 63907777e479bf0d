// Who looks on: CUPTI, where it is loaded. At most one a process.
#pragma once

#include <cstdint>

#include "core/operation.h"

namespace simgpu {

enum class ApiDomain : std::uint8_t { kRuntime, kDriver, kLibrary };

struct ApiCall {
  const char* name = "";
  ApiDomain domain = ApiDomain::kRuntime;
  std::uint32_t correlation = 0;
  Nanoseconds start = 0, end = 0;
  const void* parameters = nullptr;
  int result = 0;
};

struct SyncRecord {  // a wait of the host
  enum class Kind : std::uint8_t { kEvent, kStreamWaitsForEvent, kStream, kDevice } kind;
  Nanoseconds start, end;
  std::int32_t device;
  std::uint32_t stream;  // 0 where it is not of a stream
  std::uint64_t event;   // number of the event, 0: none
  std::uint32_t correlation;
};

// All are called with the process's lock held, from any thread of the program; times of an
// operation may still lie ahead.
class Observer {
 public:
  virtual ~Observer() = default;
  virtual void entered(const ApiCall& call) = 0;
  virtual void left(const ApiCall& call) = 0;
  virtual void placed(const PlacedOperation& operation) = 0;
  virtual void waited(const SyncRecord& record) = 0;
};

// Not owned; null takes it away.
void set_observer(Observer* observer);
Observer* observer();

}  // namespace simgpu
