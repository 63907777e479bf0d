#include "analyse/repeating/waited_bursts.h"

#include <algorithm>

namespace flatout::analyse {
namespace {

constexpr std::size_t kMoreTurnsThan = 128;  // as of levels that hold no copy
constexpr std::size_t kMostWaitsOfALoop = 16;

// How often the most frequent one is there.
std::size_t most_alike(std::vector<std::size_t> counts) {
  std::ranges::sort(counts);
  std::size_t most = 0, alike = 0;
  for (std::size_t i = 0; i < counts.size(); ++i) {
    alike = i > 0 && counts[i] == counts[i - 1] ? alike + 1 : 1;
    most = std::max(most, alike);
  }
  return most;
}

bool comes_back_in_order(const std::vector<std::size_t>& counts) {
  if (most_alike(counts) * 4 >= counts.size() * 3) return false;
  for (std::size_t waits = 2; waits <= kMostWaitsOfALoop; ++waits) {
    std::size_t same = 0;
    for (std::size_t i = waits; i < counts.size(); ++i) same += counts[i] == counts[i - waits];
    if (same * 10 >= (counts.size() - waits) * 9) return true;
  }
  return false;
}

}  // namespace

void WaitedBursts::take(std::size_t number, const run::DeviceActivity& activity, bool new_part) {
  if (new_part) {
    end_part(false);
  } else if (waits_.ended_between(done_ns_, activity.begin_ns)) {
    end_turn(number, true);
  }
  if (KernelKey::of(activity) == kernel_ && now_.kernels++ == 0) now_.at = number;
  done_ns_ = std::max(done_ns_, activity.end_ns);
  past_ = number + 1;
}

void WaitedBursts::end_turn(std::size_t past, bool waited) {
  if (now_.kernels == 0) return;
  now_.past = past;
  now_.known = waited && (whole_ || !first_of_part_);
  turns_.push_back(now_);
  now_ = {};
  first_of_part_ = false;
}

void WaitedBursts::end_part(bool waited) {
  end_turn(past_, waited);
  if (!turns_.empty()) turns_.back().last = true;
  now_ = {};
  first_of_part_ = true;
}

bool WaitedBursts::are_steps() {
  std::vector<std::size_t> counts;
  for (const Turn& turn : turns_) {
    if (turn.known) counts.push_back(turn.kernels);
  }
  if (counts.size() <= kMoreTurnsThan || comes_back_in_order(counts)) return false;
  const auto middle = counts.begin() + static_cast<std::ptrdiff_t>(counts.size() / 2);
  std::ranges::nth_element(counts, middle);
  median_ = *middle;
  const auto usual_turns =
      std::ranges::count_if(turns_, [&](const Turn& turn) { return turn.known && usual(turn); });
  return median_ >= 2 && static_cast<std::size_t>(usual_turns) * 4 >= counts.size() * 3;
}

std::vector<PeriodCut> WaitedBursts::finish() {
  constexpr std::int64_t kEver = std::numeric_limits<std::int64_t>::max();
  end_part(whole_ && waits_.ended_between(done_ns_, kEver));
  std::vector<PeriodCut> cuts;
  if (!are_steps()) return cuts;
  std::size_t past = 0;  // of the step that is open; 0: none is
  for (const Turn& turn : turns_) {
    if (turn.known && usual(turn)) {
      cuts.push_back({.at = turn.at});
      past = turn.past;
    }
    if (!turn.last || past == 0) continue;
    cuts.push_back({.at = past, .kind = PeriodCutKind::kLast});
    past = 0;
  }
  return cuts;
}

}  // namespace flatout::analyse
