// A picture seen through an affine map or a perspective, as Pillow's Image.transform(AFFINE) and
// (PERSPECTIVE) give it for 8-bit pixels, to the last bit: what rotates, shears, scales, moves and
// tilts a picture in one go.
#pragma once

#include <cstdint>

#include "data/transform/change/planar_pixels.h"

namespace flatout::data::transform {

enum class WarpFilter : std::uint8_t { kNearest, kBilinear, kBicubic };

struct Warp {
  // The middle (x, y) of the result's pixel shows what lies at (m0 x + m1 y + m2, m3 x + m4 y +
  // m5).
  double matrix[6] = {1, 0, 0, 0, 1, 0};
  // In a perspective, both over v0 x + v1 y + 1.
  bool perspective = false;
  double vanishing[2] = {0, 0};
  int width = 0;  // of the result
  int height = 0;
  WarpFilter filter = WarpFilter::kNearest;
  std::uint8_t fill[3] = {0, 0, 0};  // a channel's value where nothing lies
  bool operator==(const Warp&) const = default;
};

// `out` has the warp's size and the channels of `in`; the two do not overlap. Any matrix, also one
// that is not finite: what cannot be told to lie within the picture is filled.
void warp(const Warp& warp, const PlanarPixels& in, const PlanarPixels& out);

}  // namespace flatout::data::transform
