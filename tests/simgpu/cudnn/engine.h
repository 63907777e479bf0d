// The engines that can run a graph: cuDNN guide, "Graph API", "Engines", "Heuristics".
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "core/device_spec.h"
#include "cudnn/graph_work.h"

namespace simgpu::cudnn {

struct Engine {
  std::int64_t index = 0;  // CUDNN_ATTR_ENGINE_GLOBAL_INDEX
  FlopType type = FlopType::kF32;
  bool tensor_cores = false;
  bool nondeterministic = false;
  int tile = 128;
  // How many times the cost of cost.h a kernel takes: engines differ from shape to shape by a tenth
  // or two, which is what cudnn.benchmark finds out. One engine of each kind has 1.
  double slowness = 1;

  std::vector<int> numerical_notes() const;
};

// How many indices there are for a graph, not all of them supported.
std::int64_t engine_count(const GraphWork& work);

// Null where this engine does not support the graph on the device.
std::optional<Engine> find_engine(const GraphWork& work, const DeviceSpec& spec,
                                  std::int64_t index);

// In the order in which heuristics would try them, which is the same for all shapes; the fallback
// mode knows one that always works.
std::vector<Engine> ranked_engines(const GraphWork& work, const DeviceSpec& spec,
                                   int heuristics_mode);

}  // namespace simgpu::cudnn
