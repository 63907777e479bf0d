// What really happened: every operation, every entry point's calls, and where it is asked for when
// each call of the host began and ended, in files below Config::truth_folder that are mapped while
// they are written, so that they hold all of it whichever way the process ends.
// tests/simgpu/truth.py reads them.
#pragma once

#include <atomic>
#include <cstdint>

#include "core/operation.h"

namespace simgpu::truth {

// One row of PID.operations; 72 bytes, host byte order.
struct Row {
  std::int64_t enqueued_ns, start_ns, end_ns;
  std::uint64_t bytes;
  std::uint32_t name;  // line of PID.names, from 1; 0: none
  std::uint32_t stream;
  std::uint32_t correlation;
  std::uint32_t graph;
  std::uint32_t grid_blocks;
  std::uint32_t block_threads;
  std::uint16_t device;
  std::uint8_t kind;  // OpKind + 1; 0: no row yet
  std::uint8_t pageable;
  std::uint32_t reserved;
  std::uint64_t graph_node;
};
static_assert(sizeof(Row) == 72);

// One row of PID.calls.
struct CallRow {
  char name[64];
  std::atomic<std::uint64_t> calls;
  std::atomic<std::uint64_t> host_ns;
};
static_assert(sizeof(CallRow) == 80);

// One row of PID.spans: a call of the runtime or the driver that no other one of them made.
struct SpanRow {
  std::int64_t begin_ns, end_ns;
  std::uint32_t call;    // row of PID.calls, from 1; 0: no row yet
  std::uint32_t thread;  // as the system numbers it
  std::uint32_t correlation;
  std::uint32_t reserved;
};
static_assert(sizeof(SpanRow) == 32);

// With the process's lock held. Nothing where no truth is asked for.
void write(const PlacedOperation& operation);

// A row for an entry point; never null, lives as long as the process.
CallRow* call_row(const char* name);

// From any thread. Nothing unless Config::truth_calls. `call`: what call_row() gave.
void write_span(const CallRow* call, std::int64_t begin_ns, std::int64_t end_ns,
                std::uint32_t correlation);

// In a child after fork: files of its own from here on.
void forked();

}  // namespace simgpu::truth
