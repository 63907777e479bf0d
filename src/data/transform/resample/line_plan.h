// The columns' axis, laid out as the horizontal loop reads it; built once a picture, used for all
// of its rows.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "data/transform/kernels/aligned_memory.h"
#include "data/transform/kernels/kernels.h"
#include "data/transform/resample/axis.h"
#include "data/transform/resample/taps.h"

namespace flatout::data::transform {

// One thread. Memory: up to 80 bytes a tap, of which there are about two for every pixel of the
// longer one of source and result; and one row of the source.
class LinePlan {
 public:
  // For rows of the pixels that `axis` needs, `channels` bytes each.
  void build(const Axis& axis, int channels);

  const Line& line() const { return line_; }
  int source_pixels() const { return source_pixels_; }
  // For the loop's copy of a row's end.
  std::uint8_t* tail() { return tail_.array<std::uint8_t>(tail_bytes_); }
  std::size_t memory_bytes() const;

 private:
  void place_starts();
  void place_weights();
  void find_tail(int channels);

  Taps taps_;
  std::vector<std::int32_t> starts_;
  AlignedMemory pair_weights_;
  AlignedMemory tail_;
  std::size_t tail_bytes_ = 0;
  int source_pixels_ = 0;
  Line line_;
};

}  // namespace flatout::data::transform
