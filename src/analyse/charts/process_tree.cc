// Parents come from the recording, which may be damaged: a pid that is its own
// ancestor must not hang us.
#include <algorithm>
#include <map>
#include <set>

#include "analyse/charts/parts.h"

namespace flatout::analyse {
namespace {

constexpr int kDepth = 24;

class Tree {
 public:
  Tree(const run::Timeline& timeline, RunTime time, const ChartSizes& sizes)
      : timeline_(timeline), time_(time), sizes_(sizes), room_(sizes.processes) {
    for (const auto& [pid, track] : timeline.processes) {
      cpu_[pid] = cpu_seconds(timeline, pid);
      const pid_t parent = track.proc.parent;
      const bool known = parent != pid && timeline.processes.contains(parent);
      if (known) {
        children_[parent].push_back(pid);
      } else {
        roots_.push_back(pid);
      }
    }
  }

  std::vector<run::ProcessNode> build() {
    std::vector<run::ProcessNode> out;
    for (const pid_t pid : roots_) {
      if (room_ == 0) break;
      out.push_back(node(pid, 0));
    }
    return out;
  }

 private:
  struct Sum {
    int processes = 0;
    double cpu_seconds = 0;
  };

  Sum subtree(pid_t pid, int depth) {
    Sum sum{1, cpu_[pid]};
    if (depth >= kDepth) return sum;
    for (const pid_t child : children_[pid]) {
      const Sum below = subtree(child, depth + 1);
      sum.processes += below.processes;
      sum.cpu_seconds += below.cpu_seconds;
    }
    return sum;
  }

  void leave_out(pid_t pid, int depth, run::ProcessNode& of) {
    const Sum sum = subtree(pid, depth);
    of.left_out += sum.processes;
    of.left_out_cpu_seconds += sum.cpu_seconds;
  }

  run::ProcessNode node(pid_t pid, int depth) {
    --room_;
    const run::Proc& proc = timeline_.processes.at(pid).proc;
    run::ProcessNode out{.proc = proc, .cpu_seconds = cpu_[pid]};
    out.start_s = std::max(0.0, proc.seen_ns > 0 ? time_.seconds(proc.seen_ns) : 0.0);
    out.end_s = proc.gone_ns > 0 ? time_.seconds(proc.gone_ns) : time_.duration_s();
    std::vector<pid_t> kept = children_[pid];
    std::ranges::stable_sort(kept, [this](pid_t a, pid_t b) { return cpu_[a] > cpu_[b]; });
    const std::size_t most = depth >= kDepth ? 0 : std::min({kept.size(), sizes_.children, room_});
    for (std::size_t i = most; i < kept.size(); ++i) leave_out(kept[i], depth + 1, out);
    kept.resize(most);
    std::ranges::sort(kept, [this](pid_t a, pid_t b) {
      const auto seen = [this](pid_t p) { return timeline_.processes.at(p).proc.seen_ns; };
      return seen(a) != seen(b) ? seen(a) < seen(b) : a < b;
    });
    for (const pid_t child : kept) {
      if (room_ == 0) {
        leave_out(child, depth + 1, out);
      } else {
        out.children.push_back(node(child, depth + 1));
      }
    }
    return out;
  }

  const run::Timeline& timeline_;
  RunTime time_;
  const ChartSizes& sizes_;
  std::size_t room_;
  std::map<pid_t, double> cpu_;
  std::map<pid_t, std::vector<pid_t>> children_;
  std::vector<pid_t> roots_;
};

}  // namespace

std::vector<run::ProcessNode> process_tree(const run::Timeline& timeline, RunTime time,
                                           const ChartSizes& sizes) {
  return Tree(timeline, time, sizes).build();
}

}  // namespace flatout::analyse
