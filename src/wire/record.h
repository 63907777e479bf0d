// The records that an observed process writes into its ring. Fixed layout,
// little endian, 8-byte aligned; every record starts with a RecordHead. One
// record is at most kMaxRecordBytes. Times are CLOCK_MONOTONIC nanoseconds.
// std only: this header is compiled into the user's process.
#pragma once

#include <cstdint>

namespace flatout::wire {

constexpr std::uint32_t kWireVersion = 1;
constexpr std::uint32_t kMaxRecordBytes = 64U << 10;

enum class RecordType : std::uint8_t {
  kPadding = 0,      // fills the rest of the ring before it wraps; no payload
  kPhaseBegin = 1,   // PhaseRecord
  kPhaseEnd = 2,     // PhaseRecord
  kLane = 3,         // LaneRecord: first record of a thread
  kName = 4,         // NameRecord + bytes: names a stage id of later BatchRecords
  kFact = 5,         // FactRecord + key bytes + JSON bytes
  kBatch = 6,        // BatchRecord + n_stages * StageRecord
  kDevicePhase = 7,  // DevicePhaseRecord: device time of one phase span
  kStop = 8,         // RecordHead only: --stop-after reached its step
  kValue = 9,        // ValueRecord + name bytes: a figure that the program named
  // In trace rings alone, see activity_record.h:
  kActivity = 10,     // ActivityRecord
  kCall = 11,         // CallRecord
  kTraceWindow = 12,  // TraceWindowRecord
  kAllocator = 13,    // AllocatorRecord: what the framework's allocator has of a device
};

struct RecordHead {
  std::uint8_t type;    // RecordType
  std::uint8_t phase;   // run::Phase for phase records, else 0
  std::uint16_t lane;   // thread index within the process, 0 = first seen
  std::uint32_t bytes;  // whole record, multiple of 8
  std::int64_t t_ns;
};
static_assert(sizeof(RecordHead) == 16);

// Bits of PhaseRecord::flags.
constexpr std::uint32_t kGradEnabled = 1;  // begin of forward and data_wait
constexpr std::uint32_t kTraining = 2;     // begin of forward: root.training
constexpr std::uint32_t kRaised = 4;       // end: an exception passed
constexpr std::uint32_t kExhausted = 8;    // end of data_wait: StopIteration
constexpr std::uint32_t kSkipped = 16;  // end of optimizer: closed by a later event, not by itself
constexpr std::uint32_t kMarked = 32;   // the program said so itself, through flatout.h
constexpr std::uint32_t kPaused = 64;   // end of optimizer: it runs a closure and will go on
constexpr std::uint32_t kCaptured =
    128;  // end of optimizer: into a CUDA graph, nothing was updated

// data_wait: id = iterator. iter_build: id = iterator at its end. sync, and a copy that blocks:
// id = the place that called (fact wait_site), at the begin; 0 = not known.
// value: samples in the batch at the end of data_wait and at the begin of
// forward (0 = not known). step: only an end, at the end of a step; value:
// samples in it.
struct PhaseRecord {
  RecordHead head;
  std::uint32_t flags;
  std::uint32_t id;
  std::uint64_t value;
};
static_assert(sizeof(PhaseRecord) == 32);

struct LaneRecord {
  RecordHead head;
  std::int32_t tid;
  std::uint32_t is_main;  // 1 for the thread that started the process
};

struct NameRecord {
  RecordHead head;
  std::uint32_t id;
  std::uint32_t name_bytes;  // follow, padded with 0 to 8
};

struct FactRecord {
  RecordHead head;
  std::uint32_t key_bytes;   // follow first
  std::uint32_t json_bytes;  // follow the key, then padding
};

// BatchRecord::read_bytes and disk_bytes where the kernel does not tell.
constexpr std::uint64_t kUnknownBytes = ~std::uint64_t{0};
constexpr std::int64_t kUnknownNs = -1;  // the same for BatchRecord::run_delay_ns

// One batch fetched from the dataset, in a loader worker or, without workers,
// in the step thread. head.t_ns is its end.
struct BatchRecord {
  RecordHead head;
  std::int64_t begin_ns;
  std::int64_t cpu_ns;        // thread CPU time between begin and end
  std::int64_t collate_ns;    // wall, inside [begin, end]
  std::int64_t idle_ns;       // between the end of this worker's previous batch and begin
  std::uint64_t read_bytes;   // through read(2) and friends (rchar), page cache included
  std::uint64_t disk_bytes;   // that reached storage (read_bytes of /proc/../io)
  std::int64_t run_delay_ns;  // runnable but without a core (schedstat); kUnknownNs
  std::uint64_t batch_bytes;  // of the tensors handed over; 0 = not known
  std::uint32_t iterator;     // of this process's numbering; 0 in workers
  std::uint32_t sequence;     // 0, 1, ... within this process and iterator
  std::uint32_t samples;      // asked for; 0 = not known
  std::uint32_t stage_count;
};
static_assert(sizeof(BatchRecord) == 96);

// Exclusive wall time of a named stage (a reader, a transform) in one batch.
struct StageRecord {
  std::uint32_t name;  // NameRecord::id
  std::uint32_t calls;
  std::int64_t wall_ns;
};

struct DevicePhaseRecord {
  RecordHead head;           // head.phase; t_ns = host time at which it was polled
  std::int64_t duration_ns;  // device time between the span's two events
  std::uint32_t step;        // as counted by the observed process
  std::uint32_t device;
};

constexpr std::uint64_t kUnknownCount = ~std::uint64_t{0};

// The framework's allocator of one device, in this process. Bytes are what tensors have (allocated)
// and what it holds of the driver (reserved); the peaks are its own, since the program began or
// last reset them. Counts are since then, too; kUnknownCount where a release does not have them.
struct AllocatorRecord {
  RecordHead head;
  std::uint64_t allocated_bytes;
  std::uint64_t reserved_bytes;
  std::uint64_t allocated_peak_bytes;
  std::uint64_t reserved_peak_bytes;
  std::uint64_t retries;  // it found no room, gave back what it kept, and asked the driver again
  std::uint64_t ooms;     // allocations that failed all the same
  std::uint32_t device;   // as CUDA counts it in this process
  std::uint32_t unused;
};
static_assert(sizeof(AllocatorRecord) == 72);

// Like "loss", 0.31 at step 200. The name follows, padded with 0 to 8.
struct ValueRecord {
  RecordHead head;
  double value;       // may be infinite or NaN
  std::int64_t step;  // as the program counts; kNoStep
  std::uint32_t name_bytes;
  std::uint32_t track;  // tracked run of this process that it belongs to; 0 = the first, or none
};
static_assert(sizeof(ValueRecord) == 40);
constexpr std::int64_t kNoStep = -1;
constexpr std::uint32_t kMaxValueNameBytes = 512;
constexpr std::uint32_t kMaxTrack = 1U << 20;  // beyond it a record is malformed

constexpr std::uint32_t padded8(std::uint32_t bytes) { return (bytes + 7U) & ~7U; }

}  // namespace flatout::wire
