// Handles of the runtime for what the core keeps.
#pragma once

#include <cuda_runtime_api.h>

#include <memory>

#include "core/graph.h"

namespace simgpu::runtime {

struct GraphHandle {
  std::shared_ptr<Graph> graph;
};
struct ExecutableGraph {
  std::shared_ptr<const Graph> graph;
  std::uint32_t number = 0;
};

}  // namespace simgpu::runtime
