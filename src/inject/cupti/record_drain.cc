#include "inject/cupti/record_drain.h"

#include <cstring>
#include <utility>

#include "inject/cupti/calls.h"

namespace flatout::inject::cupti {

void RecordDrain::drain(const Api& api, const HostClock& clock, BufferPool& pool, TraceRing& ring) {
  const Place place{api, clock, ring};
  pool.drain([&](std::uint8_t* buffer, std::size_t valid) {
    RecordTag* record = nullptr;
    while (api.next_record(buffer, valid, &record) == kSuccess) {
      const auto* at = reinterpret_cast<const unsigned char*>(record);
      if (at < buffer || at >= buffer + valid) break;
      ++made_;
      take(place, at, static_cast<std::size_t>(buffer + valid - at));
    }
  });
}

void RecordDrain::take(const Place& place, const unsigned char* record, std::size_t bytes) {
  DeviceRecord device;
  CallOfHost call;
  if (decode_device(record, bytes, &device)) {
    take_device(place, device);
  } else if (decode_call(record, bytes, &call)) {
    const bool runtime = kind_of(record) == static_cast<std::uint32_t>(RecordKind::kRuntime);
    take_call(place, runtime ? Domain::kRuntime : Domain::kDriver, call);
  } else if (decode_overhead(record, bytes, &call)) {
    take_overhead(place, call);
  }
}

void RecordDrain::take_device(const Place& place, const DeviceRecord& record) {
  if (record.start == 0 || record.end < record.start) {
    ++lost_;
    return;
  }
  wire::ActivityRecord out = record.wire;
  out.end_ns = place.clock.monotonic_ns(record.end);
  place.ring.activity(out, place.clock.monotonic_ns(record.start), record.name);
}

const RecordDrain::KnownCall& RecordDrain::known(const Api& api, Domain domain,
                                                 std::uint32_t function) {
  static constexpr KnownCall kNone{};
  if (function >= kMostFunctions) return kNone;
  KnownCall& one = domain == Domain::kRuntime ? runtime_[function] : driver_[function];
  if (one.looked) return one;
  one.looked = true;
  const char* name = nullptr;
  const auto in = static_cast<std::uint32_t>(domain);
  if (api.callback_name(in, function, &name) != kSuccess || name == nullptr) return one;
  const CallWorth worth = worth_of_call(name);
  one.wanted = worth.wanted;
  one.launches = worth.launches;
  while (*name == '_') ++name;  // __cudaLaunchKernel is what launches from CUDA 13 on
  one.name = name;
  one.name_bytes = bare_length(name);
  return one;
}

void RecordDrain::take_call(const Place& place, Domain domain, const CallOfHost& call) {
  if (call.start == 0 || call.end < call.start) {
    ++lost_;
    return;
  }
  if (domain == Domain::kDriver) {
    if (known(place.api, domain, call.function).wanted) hold(place, call);
    return;
  }
  settle(place, call);
  write_call(place, domain, call);
}

// A thread's calls end one after the other, the inner one first: once a runtime call of it has
// ended, each driver call before it is either part of it or of none.
void RecordDrain::settle(const Place& place, const CallOfHost& outer) {
  std::size_t kept = 0;
  for (std::size_t i = 0; i < held_count_; ++i) {
    const CallOfHost& inner = held_[i];
    if (inner.thread != outer.thread) {
      held_[kept++] = inner;
    } else if (inner.start < outer.start || inner.end > outer.end) {
      write_call(place, Domain::kDriver, inner);
    }
  }
  held_count_ = kept;
}

void RecordDrain::hold(const Place& place, const CallOfHost& call) {
  if (held_count_ == kMostHeld) {
    write_call(place, Domain::kDriver, held_[0]);
    std::memmove(held_, held_ + 1, sizeof held_[0] * --held_count_);
  }
  held_[held_count_++] = call;
}

void RecordDrain::release_held(const Api& api, const HostClock& clock, TraceRing& ring) {
  for (std::size_t i = 0; i < held_count_; ++i) {
    write_call({api, clock, ring}, Domain::kDriver, held_[i]);
  }
  held_count_ = 0;
}

void RecordDrain::write_call(const Place& place, Domain domain, const CallOfHost& call) {
  const KnownCall& function = known(place.api, domain, call.function);
  if (!function.wanted) return;
  const std::uint16_t lane = place.ring.lane_of(static_cast<std::int32_t>(call.thread));
  if (lane == TraceRing::kNoLane) {
    ++lost_;
    return;
  }
  place.ring.call(lane, place.clock.monotonic_ns(call.start), place.clock.monotonic_ns(call.end),
                  function.launches ? call.correlation : 0, function.name, function.name_bytes);
}

// Of threads that call CUDA alone: what CUPTI does in threads of its own keeps nobody.
void RecordDrain::take_overhead(const Place& place, const CallOfHost& call) {
  const auto tid = static_cast<std::int32_t>(call.thread);
  const std::uint16_t lane = place.ring.known_lane_of(tid);
  if (lane == TraceRing::kNoLane || call.start == 0 || call.end < call.start) return;
  const char* name = name_of_overhead(call.function);
  place.ring.call(lane, place.clock.monotonic_ns(call.start), place.clock.monotonic_ns(call.end), 0,
                  name, std::strlen(name));
}

std::uint64_t RecordDrain::take_lost() { return std::exchange(lost_, 0); }

}  // namespace flatout::inject::cupti
