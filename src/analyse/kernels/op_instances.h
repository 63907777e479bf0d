// Which op with a known cost a kernel belongs to: the outermost one in which its launch was called,
// on the thread that called it. So an op's kernels stay together: of a convolution's backward pass
// both products and the changes of layout between them.
//
// An op in another one of the same class and FLOPs is the same once more, as autocast calls it with
// inputs of another type: the inner one's cost counts, of the outer one's time.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <vector>

#include "run/timeline.h"

namespace flatout::analyse {

class OpInstances {
 public:
  struct Instance {
    std::int64_t begin_ns = 0;
    std::int64_t end_ns = 0;
    std::uint32_t cost = 0;
  };

  // Knows nothing.
  OpInstances() = default;
  // `costs` are those that the works name; both may be empty.
  OpInstances(const run::ProcessTrack& process, const run::OpCostTable& costs);

  bool empty() const { return all_.empty(); }
  std::size_t size() const { return all_.size(); }
  const Instance& at(std::size_t number) const { return all_[number]; }
  // Its number, of the one that was open on this thread; lanes as a HostTimeline has them.
  std::optional<std::size_t> at(std::uint16_t lane, std::int64_t t_ns) const;

 private:
  struct Range {
    std::size_t first = 0, past = 0;
  };
  std::vector<Instance> all_;               // lane by lane, in order of time
  std::map<std::uint16_t, Range> of_lane_;  // in all_
};

}  // namespace flatout::analyse
