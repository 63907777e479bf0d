// What an observed process said, decoded from the wire. Times are
// CLOCK_MONOTONIC nanoseconds of the machine that recorded it.
#pragma once

#include <bit>
#include <cstdint>
#include <string>
#include <vector>

#include "run/phase.h"

namespace flatout::run {

// Begin or end of a phase span on one lane (thread). Spans of a lane nest.
struct PhaseEvent {
  std::int64_t t_ns = 0;
  std::uint64_t value = 0;  // samples in the batch, 0 = not known (see wire::PhaseRecord)
  std::uint32_t flags = 0;  // wire::kGradEnabled and friends, same bits
  std::uint32_t id = 0;     // iterator, for data_wait and iter_build; of sync and h2d, a wait_site
  std::uint16_t lane = 0;
  Phase phase = Phase::kOther;
  bool begin = false;
  friend bool operator==(const PhaseEvent&, const PhaseEvent&) = default;
};

// Bits of PhaseEvent::flags; the same as on the wire.
constexpr std::uint32_t kGradEnabled = 1;
constexpr std::uint32_t kTrainingMode = 2;  // of the module that is called
constexpr std::uint32_t kRaised = 4;
constexpr std::uint32_t kExhausted = 8;
constexpr std::uint32_t kSkipped = 16;
constexpr std::uint32_t kMarked = 32;
constexpr std::uint32_t kPaused = 64;
constexpr std::uint32_t kCaptured = 128;

struct Lane {
  std::uint16_t lane = 0;
  std::int32_t tid = 0;
  bool is_main = false;
  friend bool operator==(const Lane&, const Lane&) = default;
};

// Exclusive wall time of one named stage (reader, transform) within a batch.
struct StageTime {
  std::string name;
  std::uint32_t calls = 0;
  std::int64_t wall_ns = 0;
  friend bool operator==(const StageTime&, const StageTime&) = default;
};

// Batch::read_bytes and disk_bytes where the kernel did not tell.
constexpr std::uint64_t kUnknownBytes = ~std::uint64_t{0};
constexpr std::int64_t kUnknownNs = -1;  // the same for Batch::run_delay_ns

// One batch fetched from a dataset, by a worker or by the step thread.
struct Batch {
  std::int64_t begin_ns = 0;
  std::int64_t end_ns = 0;
  std::int64_t cpu_ns = 0;      // thread CPU time
  std::int64_t collate_ns = 0;  // wall
  std::int64_t idle_ns = 0;     // since this worker's previous batch; 0 for its first
  std::uint64_t read_bytes = 0;
  std::uint64_t disk_bytes = 0;
  std::int64_t run_delay_ns = kUnknownNs;  // runnable, but without a core
  std::uint64_t batch_bytes = 0;           // of the tensors handed over; 0 = not known
  std::uint32_t iterator = 0;
  std::uint32_t sequence = 0;
  std::uint32_t samples = 0;
  std::vector<StageTime> stages;
  friend bool operator==(const Batch&, const Batch&) = default;
};

// Something stated once: `json` is a JSON value. Keys stand in run/facts.h.
struct Fact {
  std::int64_t t_ns = 0;
  std::string key;
  std::string json;
  friend bool operator==(const Fact&, const Fact&) = default;
};

// Device time of one phase span, from events that were polled.
struct DevicePhase {
  std::int64_t t_ns = 0;
  std::int64_t duration_ns = 0;
  std::uint32_t step = 0;
  std::uint32_t device = 0;
  Phase phase = Phase::kOther;
  friend bool operator==(const DevicePhase&, const DevicePhase&) = default;
};

// A figure that the program named: its loss, its accuracy.
struct NamedValue {
  std::int64_t t_ns = 0;
  double value = 0;             // as it was given: may be infinite or NaN
  std::int64_t step = kNoStep;  // as the program counts
  std::uint32_t track = 0;  // tracked run of this process (run/tracked.h); 0 = the first, or none
  std::string name;

  static constexpr std::int64_t kNoStep = -1;
  // A NaN equals itself here.
  friend bool operator==(const NamedValue& a, const NamedValue& b) {
    return a.t_ns == b.t_ns && a.step == b.step && a.track == b.track && a.name == b.name &&
           std::bit_cast<std::uint64_t>(a.value) == std::bit_cast<std::uint64_t>(b.value);
  }
};

// By which they are in order (run/records.h).
inline std::int64_t record_time(const PhaseEvent& event) { return event.t_ns; }
inline std::int64_t record_time(const Batch& batch) { return batch.end_ns; }
inline std::int64_t record_time(const DevicePhase& phase) { return phase.t_ns; }
inline std::int64_t record_time(const NamedValue& value) { return value.t_ns; }
inline std::int64_t record_time(const Fact& fact) { return fact.t_ns; }

}  // namespace flatout::run
