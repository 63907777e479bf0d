// The records of a kernel trace, which the CUPTI agent writes into a ring of its own beside the
// process's other one: a record a kernel must never push step marks out of theirs. RingHeader::role
// is kTrace. Rules of record.h hold; names and lanes are given as there (kName, kLane), numbered
// for this ring alone, each before its first use.
#pragma once

#include <cstddef>
#include <cstdint>

#include "wire/record.h"

namespace flatout::wire {

// 16 MiB hold about 160 000 kernels with their launches, a second of the busiest programs.
constexpr std::size_t kTraceRingBytes = 16U << 20;

// What a device did. head.t_ns is its begin.
struct ActivityRecord {
  RecordHead head;  // lane is 0
  std::int64_t end_ns;
  std::uint64_t correlation;  // of the CallRecord that launched it; 0 = not known
  std::uint64_t bytes;        // of a copy or memset; kUnknownBytes
  std::uint32_t name;         // NameRecord::id; 0 = none
  std::uint32_t stream;       // as CUPTI numbers them
  std::uint32_t graph;        // CUPTI's id of the graph that it is of; 0 = none
  std::uint32_t graph_node;   // the lower half of CUPTI's id of the node: the upper is the graph's
  std::uint16_t context;      // as CUPTI numbers them; those beyond 16 bits are 0
  std::uint16_t device;       // as CUDA counts it in this process
  std::uint8_t kind;          // run::ActivityKind
  std::uint8_t direction;     // run::CopyDirection
  std::uint8_t host_memory;   // run::HostMemory
  std::uint8_t reserved;      // 0
};
static_assert(sizeof(ActivityRecord) == 64);

// What a thread of the host did: a call of CUDA's runtime or driver, or a range or a
// moment that the program marked with NVTX. head.lane is its thread, head.t_ns its begin.
struct CallRecord {
  RecordHead head;
  std::int64_t end_ns;
  std::uint64_t correlation;  // of what it launched; 0 = nothing
  std::uint32_t name;         // NameRecord::id: cudaLaunchKernel
  std::uint8_t kind;          // run::HostSpanKind
  std::uint8_t reserved[3];   // 0
};
static_assert(sizeof(CallRecord) == 40);

enum class TraceEnd : std::uint32_t {
  kPlanned = 0,  // the window's time was over
  kExit = 1,     // the process ends
  kYielded = 2,  // another client of CUPTI needs it, the program's profiler
  kFailed = 3,   // a call of CUPTI's failed; a fact "trace" says which
};

// A time in which tracing was on; what lies outside of all windows was not looked at. Comes after
// the records of its window. head.t_ns is its begin.
struct TraceWindowRecord {
  RecordHead head;  // lane is 0
  std::int64_t end_ns;
  std::uint64_t dropped;  // records that CUPTI said it had no room for, in this window
  std::uint32_t end;      // TraceEnd
  std::uint32_t reserved;
};
static_assert(sizeof(TraceWindowRecord) == 40);

}  // namespace flatout::wire
