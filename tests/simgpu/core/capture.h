// Stream capture: CUDA C++ Programming Guide, "Creating a Graph Using Stream Capture":
// "Cross-stream Dependencies and Events", "Prohibited and Unhandled Operations", "Invalidation";
// CUDA Runtime API, cudaThreadExchangeStreamCaptureMode.
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <memory>
#include <vector>

#include "core/graph.h"

namespace simgpu {

enum class CaptureMode : std::uint8_t {
  kGlobal,
  kThreadLocal,
  kRelaxed
};  // as cudaStreamCaptureMode

struct Capture {
  std::uint64_t id = 0;
  CaptureMode mode = CaptureMode::kGlobal;
  pid_t thread = 0;  // that began it
  Stream* origin = nullptr;
  std::vector<Stream*> streams;  // all that are in it, the origin first
  std::shared_ptr<Graph> graph;
  bool invalid = false;
};

Status begin_capture(Stream& stream, CaptureMode mode);
// The graph, or null with the status that tells why.
Status end_capture(Stream& stream, std::shared_ptr<Graph>& graph);

// `stream` comes into the capture behind these nodes, where it waits for an event of it.
void join_capture(Stream& stream, const std::shared_ptr<Capture>& capture,
                  const std::vector<std::uint32_t>& after);

// For calls that may wait or that the guide calls unsafe (allocation, queries, synchronisation):
// the error where one of the captures open now forbids it to this thread, which it spoils; 0
// otherwise. With the process's lock held.
Status forbid_in_capture();

// The mode of this thread for its own unsafe calls; exchanged by
// cudaThreadExchangeStreamCaptureMode.
CaptureMode& thread_capture_mode();

}  // namespace simgpu
