// Who has a core, on virtual time: all threads evenly, or each for a slice, as an operating system
// gives them.
#pragma once

#include <algorithm>
#include <deque>
#include <vector>

namespace flatout::data::tune {

class SimulatedCores {
 public:
  // From now on these threads want a core, by their numbers. `slice_s` 0: each has an even share.
  void share(const std::vector<int>& wanting, double cores, double slice_s, double now_s) {
    even_ = slice_s <= 0;
    if (even_) {
      // Threads that crowd lose a little to switching.
      const double crowd = static_cast<double>(wanting.size()) / cores;
      share_ = crowd <= 1 ? 1 : 1 / crowd / (1 + 0.01 * (std::min(crowd, 8.0) - 1));
      return;
    }
    const auto gone = [&](int thread) {
      return std::ranges::find(wanting, thread) == wanting.end();
    };
    std::erase_if(waiting_, gone);
    std::erase_if(running_, [&](const Turn& turn) { return gone(turn.thread); });
    for (const int thread : wanting) {
      if (!runs(thread) && std::ranges::find(waiting_, thread) == waiting_.end())
        waiting_.push_back(thread);
    }
    for (Turn& turn : running_) {  // whose slice is over goes behind those that wait
      if (turn.until_s > now_s + kSame) continue;
      waiting_.push_back(turn.thread);
      turn = {waiting_.front(), now_s + slice_s};
      waiting_.pop_front();
    }
    while (!waiting_.empty() && running_.size() < static_cast<std::size_t>(cores)) {
      running_.push_back({waiting_.front(), now_s + slice_s});
      waiting_.pop_front();
    }
  }

  // Of a core that is not shared.
  double speed(int thread) const { return even_ ? share_ : runs(thread) ? 1 : 0; }

  // When a slice is over.
  double next_end_s() const {
    double end_s = 1e18;
    if (!even_)
      for (const Turn& turn : running_) end_s = std::min(end_s, turn.until_s);
    return end_s;
  }

 private:
  static constexpr double kSame = 1e-9;
  struct Turn {
    int thread = 0;
    double until_s = 0;
  };

  bool runs(int thread) const {
    return std::ranges::find(running_, thread, &Turn::thread) != running_.end();
  }

  bool even_ = true;
  double share_ = 1;
  std::vector<Turn> running_;
  std::deque<int> waiting_;  // the next one first
};

}  // namespace flatout::data::tune
