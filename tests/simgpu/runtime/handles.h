// Handles of the runtime for what the core keeps, and what the observer is shown of waits.
#pragma once

#include <cuda_runtime_api.h>

#include <memory>

#include "core/graph.h"
#include "core/observer.h"

namespace simgpu::runtime {

struct GraphHandle {
  std::shared_ptr<Graph> graph;
};
struct ExecutableGraph {
  std::shared_ptr<const Graph> graph;
  std::uint32_t number = 0;
};

void tell_wait(SyncRecord::Kind kind, Nanoseconds begin, cudaStream_t stream, std::uint64_t event);

}  // namespace simgpu::runtime
