// CUPTI's filled buffers -> records in the ring. One thread at a time.
#pragma once

#include <cstddef>
#include <cstdint>
#include <utility>

#include "inject/cupti/buffer_pool.h"
#include "inject/cupti/cupti_api.h"
#include "inject/cupti/decode.h"
#include "inject/cupti/host_clock.h"
#include "inject/cupti/trace_ring.h"

namespace flatout::inject::cupti {

class RecordDrain {
 public:
  // All that waits.
  void drain(const Api& api, const HostClock& clock, BufferPool& pool, TraceRing& ring);
  // Driver calls are held back until it is known that no runtime call made them; these go out now.
  void release_held(const Api& api, const HostClock& clock, TraceRing& ring);
  // Records that CUPTI made, of use or not, since the last call.
  std::uint64_t take_made() { return std::exchange(made_, 0); }
  // Records since the last call that were of no use: without times, as a forced flush gives those
  // of what has not ended, or of a thread for which there is no lane.
  std::uint64_t take_lost();

 private:
  struct KnownCall {
    bool looked = false;
    bool wanted = false;
    bool launches = false;
    const char* name = nullptr;  // CUPTI's
    std::size_t name_bytes = 0;
  };
  static constexpr std::size_t kMostFunctions = 2048;
  static constexpr std::size_t kMostHeld = 64;

  struct Place {
    const Api& api;
    const HostClock& clock;
    TraceRing& ring;
  };

  void take(const Place& place, const unsigned char* record, std::size_t bytes);
  void take_device(const Place& place, const DeviceRecord& record);
  void take_call(const Place& place, Domain domain, const CallOfHost& call);
  void take_overhead(const Place& place, const CallOfHost& call);
  void settle(const Place& place, const CallOfHost& outer);
  void hold(const Place& place, const CallOfHost& call);
  void write_call(const Place& place, Domain domain, const CallOfHost& call);
  const KnownCall& known(const Api& api, Domain domain, std::uint32_t function);

  KnownCall runtime_[kMostFunctions];
  KnownCall driver_[kMostFunctions];
  CallOfHost held_[kMostHeld];
  std::size_t held_count_ = 0;
  std::uint64_t made_ = 0;
  std::uint64_t lost_ = 0;
};

}  // namespace flatout::inject::cupti
