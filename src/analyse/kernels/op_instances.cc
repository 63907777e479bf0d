#include "analyse/kernels/op_instances.h"

#include <algorithm>
#include <span>

#include "run/threads.h"

namespace flatout::analyse {
namespace {

bool same_work(const run::OpCost& a, const run::OpCost& b) {
  return a.op_class == b.op_class && a.flops && a.flops == b.flops;
}

}  // namespace

OpInstances::OpInstances(const run::ProcessTrack& process, const run::OpCostTable& costs) {
  const run::Threads threads(process);
  std::map<std::uint16_t, std::vector<Instance>> lanes;
  for (const run::OpWork& work : process.op_works) {
    if (work.cost >= costs.size()) continue;
    std::vector<Instance>& lane = lanes[threads.of(work.lane)];
    if (lane.empty() || work.begin_ns >= lane.back().end_ns) {
      lane.push_back({work.begin_ns, work.end_ns, work.cost});
    } else if (same_work(costs[lane.back().cost], costs[work.cost])) {
      lane.back().cost = work.cost;
    }
  }
  for (const auto& [lane, instances] : lanes) {
    of_lane_[lane] = {all_.size(), all_.size() + instances.size()};
    all_.insert(all_.end(), instances.begin(), instances.end());
  }
}

std::optional<std::size_t> OpInstances::at(std::uint16_t lane, std::int64_t t_ns) const {
  const auto range = of_lane_.find(lane);
  if (range == of_lane_.end()) return std::nullopt;
  const auto [first, past] = range->second;
  const auto own = std::span(all_).subspan(first, past - first);
  const auto next = std::ranges::upper_bound(own, t_ns, {}, &Instance::begin_ns);
  if (next == own.begin()) return std::nullopt;
  const auto found = std::prev(next);
  if (t_ns >= found->end_ns) return std::nullopt;
  return first + static_cast<std::size_t>(found - own.begin());
}

}  // namespace flatout::analyse
