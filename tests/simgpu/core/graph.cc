#include "core/graph.h"

#include <algorithm>

#include "core/api.h"
#include "core/placement.h"
#include "core/process.h"

namespace simgpu {
namespace {

std::uint64_t nodes_made = 0;

// Whether node i comes right after node i - 1 and after nothing else.
bool is_chain(const Graph& graph) {
  for (std::size_t i = 0; i < graph.nodes.size(); ++i) {
    const GraphNode& node = graph.nodes[i];
    const bool linked =
        i == 0 ? node.after.empty() : node.after.size() == 1 && node.after.front() == i - 1;
    if (!linked || node.submission.meeting != nullptr ||
        node.kind == GraphNode::Kind::kHostFunction) {
      return false;
    }
  }
  return true;
}

Item item_of(const GraphNode& node, Place place) {
  place.graph_node = node.number;
  if (node.kind == GraphNode::Kind::kHostFunction) {
    return {place, HostFunction{node.submission.effect, std::make_shared<Mark>()}};
  }
  return {place, QueuedOperation{node.submission}};
}

// One lane a path: nodes that do not follow each other lie in streams of the launch's own.
void launch_lanes(const Graph& graph, Stream& stream, const Place& place) {
  const auto begin = mark_of(stream);
  std::vector<std::shared_ptr<Mark>> ends(graph.nodes.size());
  std::vector<Stream*> lane_of(graph.nodes.size(), nullptr);
  std::vector<bool> continued(graph.nodes.size(), false);
  std::vector<Stream*> lanes;
  for (std::size_t i = 0; i < graph.nodes.size(); ++i) {
    const GraphNode& node = graph.nodes[i];
    Stream* lane = nullptr;
    for (const std::uint32_t before : node.after) {
      if (!continued[before]) {
        continued[before] = true;
        lane = lane_of[before];
        break;
      }
    }
    if (lane == nullptr) {
      lane = new Stream;  // of this launch
      lane->number = stream.number;
      lane->device = stream.device;
      lane->kind = StreamKind::kNonBlocking;
      lanes.push_back(lane);
      push(*lane, {place, WaitForMark{begin}});
    }
    for (const std::uint32_t before : node.after) {
      push(*lane, {place, WaitForMark{ends[before]}});
    }
    if (node.kind != GraphNode::Kind::kEmpty) {
      push(*lane, item_of(node, place));
    }
    ends[i] = mark_of(*lane);
    lane_of[i] = lane;
  }
  for (Stream* const lane : lanes) {
    push(stream, {place, WaitForMark{mark_of(*lane)}});
    if (lane->queue.empty()) {
      delete lane;
    }  // else a collective keeps it: it is left to it
  }
}

}  // namespace

std::uint32_t add_node(Graph& graph, GraphNode node, std::vector<std::uint32_t> after) {
  node.after = std::move(after);
  node.number = ++nodes_made;
  graph.nodes.push_back(std::move(node));
  return static_cast<std::uint32_t>(graph.nodes.size() - 1);
}

void launch(const std::shared_ptr<const Graph>& graph, Stream& stream,
            std::uint32_t executable_number) {
  const Place place{.correlation = current_correlation(),
                    .graph = executable_number,
                    .graph_node = 0,
                    .enqueued = now()};
  if (!is_chain(*graph)) {
    launch_lanes(*graph, stream, place);
    return;
  }
  for (const GraphNode& node : graph->nodes) {
    if (node.kind == GraphNode::Kind::kOperation) {
      push(stream, item_of(node, place));
    }
  }
}

}  // namespace simgpu
