// A made-up CUDA driver for tests: its memory is the host's, its streams are queues. Nothing that
// is asked of a stream happens before somebody waits for it, so that who does not wait sees it.
//
// FAKE_CUDA_DEVICES  how many devices there are (2)
// FAKE_CUDA_FAIL     "cuMemAlloc_v2=2@3": that function gives code 2 at its third call, and after;
//                    several with commas
#pragma once

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <set>
#include <string>

#include "data/device/cuda_abi.h"

namespace flatout::data::device::fake {

struct Stream;

// A place in a stream: behind so many of its operations.
struct Mark {
  std::shared_ptr<Stream> stream;
  std::uint64_t behind = 0;
};

struct Stream {
  bool blocking = true;  // the legacy default stream waits for it, and it for that one
  std::uint64_t asked = 0;
  std::uint64_t done = 0;
  std::deque<std::function<void()>> queue;
};

struct Event {
  bool timed = false;
  Mark mark;
  std::uint64_t at = 0;  // by a clock that goes on by one an operation
};

// What a test may ask for; the order is known to tests/data/test_device.py.
struct Counts {
  std::int64_t allocations = 0;  // there now, and so on
  std::int64_t pinned = 0;
  std::int64_t streams = 0;
  std::int64_t events = 0;
  std::int64_t modules = 0;
  std::int64_t contexts = 0;
  std::int64_t pushed = 0;           // contexts on the threads' stacks
  std::int64_t copies = 0;           // since the beginning
  std::int64_t bytes = 0;            // likewise
  std::int64_t launches = 0;         // likewise
  std::int64_t pageable_copies = 0;  // from memory that is not pinned
  std::int64_t faults = 0;           // calls that no right program makes; stderr says which
  std::int64_t pending = 0;          // operations that nobody waited for
};

struct Machine {
  std::recursive_mutex mutex;
  Counts counts;
  std::map<std::uintptr_t, std::size_t> memory;  // of devices
  std::map<std::uintptr_t, std::size_t> pinned;
  std::set<Event*> events;
  std::map<CudaStream, std::shared_ptr<Stream>> streams;
  std::map<std::string, int> calls;
  std::uint64_t clock = 0;
  std::shared_ptr<Stream> legacy = std::make_shared<Stream>();

  std::shared_ptr<Stream> find(CudaStream stream);
  void ask(const std::shared_ptr<Stream>& stream, std::function<void()> operation);
  void run(const Mark& until);
  CudaCode fault(const char* what);
  // What FAKE_CUDA_FAIL says of this call.
  CudaCode enter(const char* name);
};

Machine& machine();

// Begins at `address` and has `bytes` in one block of `blocks`.
bool inside(const std::map<std::uintptr_t, std::size_t>& blocks, std::uintptr_t address,
            std::size_t bytes);

}  // namespace flatout::data::device::fake
