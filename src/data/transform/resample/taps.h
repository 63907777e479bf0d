// Which pixels of a line make each pixel of the result, and how much of each: Pillow's
// coefficients.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "data/transform/kernels/tap.h"
#include "data/transform/resample/axis.h"

namespace flatout::data::transform {

struct Taps {
  std::vector<Tap> taps;              // one for each pixel of the result
  std::vector<std::int32_t> weights;  // in the order of the pixels
  std::int32_t most = 1;              // the largest count

  // Fills in those of `axis`. Memory is in proportion to the result and the source together, and is
  // kept for the next axis.
  void find(const Axis& axis);

  std::size_t memory_bytes() const {
    return taps.capacity() * sizeof(Tap) + weights.capacity() * sizeof(weights[0]) +
           exact_.capacity() * sizeof(exact_[0]);
  }

 private:
  std::vector<double> exact_;
};

}  // namespace flatout::data::transform
