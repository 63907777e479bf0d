// The rows' axis, laid out as the vertical loop reads it; built once a picture.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "data/transform/kernels/kernels.h"
#include "data/transform/resample/axis.h"
#include "data/transform/resample/taps.h"

namespace flatout::data::transform {

// One thread.
class ColumnPlan {
 public:
  void build(const Axis& axis);

  int height() const { return static_cast<int>(taps_.taps.size()); }
  // Rows of the source that one row of the result needs at most, at least 1.
  int most() const { return taps_.most; }
  // Rows of the result in the order in which they need rows of the source: up, or down where the
  // result is flipped.
  int in_order(int turn) const { return descending_ ? height() - 1 - turn : turn; }
  // Row `index` of the result: its first row of the source and how many; none where it is black.
  const Tap& tap(int index) const { return taps_.taps[static_cast<std::size_t>(index)]; }
  Column column(int index) const;
  // Whether the row is one of the source, unchanged.
  bool is_copy(int index) const;
  std::size_t memory_bytes() const;

 private:
  Taps taps_;
  std::vector<std::int32_t> pairs_;
  std::vector<std::size_t> first_pair_;
  bool descending_ = false;
};

}  // namespace flatout::data::transform
