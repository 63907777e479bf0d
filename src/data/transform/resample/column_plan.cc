#include "data/transform/resample/column_plan.h"

namespace flatout::data::transform {
namespace {

// The 16-bit parts of two weights in one number, see Column.
std::int32_t side_by_side(std::int32_t first, std::int32_t second) {
  return static_cast<std::int32_t>((static_cast<std::uint32_t>(first) & 0xFFFFU) |
                                   static_cast<std::uint32_t>(second) << 16);
}

}  // namespace

void ColumnPlan::build(const Axis& axis) {
  taps_.find(axis);
  pairs_.clear();
  first_pair_.clear();
  int lowest = -1;  // first row of the source that the first row with any needs
  descending_ = false;
  for (const Tap& tap : taps_.taps) {
    first_pair_.push_back(pairs_.size());
    if (tap.count == 0) continue;
    if (lowest < 0) lowest = tap.first;
    if (tap.first < lowest) descending_ = true;
    const std::int32_t* weights = taps_.weights.data() + tap.weights;
    constexpr std::int32_t kLowMask = (1 << kLowBits) - 1;
    for (std::int32_t i = 0; i < tap.count; i += 2) {
      const std::int32_t second = i + 1 < tap.count ? weights[i + 1] : 0;
      pairs_.push_back(side_by_side(weights[i] >> kLowBits, second >> kLowBits));
      pairs_.push_back(side_by_side(weights[i] & kLowMask, second & kLowMask));
    }
  }
}

Column ColumnPlan::column(int index) const {
  const Tap& one = tap(index);
  return {one.count, taps_.weights.data() + one.weights,
          pairs_.data() + first_pair_[static_cast<std::size_t>(index)]};
}

bool ColumnPlan::is_copy(int index) const {
  const Tap& one = tap(index);
  return one.count == 1 && taps_.weights[one.weights] == kWholeWeight;
}

std::size_t ColumnPlan::memory_bytes() const {
  return taps_.memory_bytes() + pairs_.capacity() * sizeof(pairs_[0]) +
         first_pair_.capacity() * sizeof(first_pair_[0]);
}

}  // namespace flatout::data::transform
