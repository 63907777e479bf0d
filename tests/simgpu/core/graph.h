// A graph: operations with what each comes after, and how it is put onto a device.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "core/submit.h"

namespace simgpu {

struct Stream;

struct GraphNode {
  enum class Kind : std::uint8_t { kOperation, kHostFunction, kEmpty } kind = Kind::kOperation;
  Submission submission;
  std::vector<std::uint32_t> after;  // nodes before this one
  std::uint64_t number = 0;          // of this node, in this process
};

struct Graph {
  std::uint32_t number = 0;
  std::vector<GraphNode> nodes;  // sorted: a node comes after those it names
};

// Puts a new node behind `after` and tells its index.
std::uint32_t add_node(Graph& graph, GraphNode node, std::vector<std::uint32_t> after);

// CUDA C++ Programming Guide, "CUDA Graphs": a launch begins behind the stream's work; what comes
// after waits for all of it; nodes without a path between them may overlap. With the process's lock
// held.
void launch(const std::shared_ptr<const Graph>& graph, Stream& stream,
            std::uint32_t executable_number);

}  // namespace simgpu
