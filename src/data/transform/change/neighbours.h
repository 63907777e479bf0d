// Changes that look at a pixel's neighbours: what sharpens and what blurs.
#pragma once

#include <cstddef>
#include <vector>

#include "data/transform/change/planar_pixels.h"

namespace flatout::data::transform {

// Pillow's ImageEnhance.Sharpness, to the last bit: away from what ImageFilter.SMOOTH makes of it
// (3 x 3, the middle five times; edges stay as they are).
struct Sharpening {
  float factor = 1;
  bool operator==(const Sharpening&) const = default;
};

// torchvision's gaussian_blur of 8-bit pixels: the picture is mirrored at its edges, sums are of
// float32, rounded to nearest. torchvision sums over both axes at once and in another order, so
// that a value may differ by one where a sum falls right between two.
struct Blur {
  int columns = 1;  // of the kernel, odd, less than twice the picture's width
  int rows = 1;
  double sigma = 1;
  bool operator==(const Blur&) const = default;
};

// `out` has the form of `in`; the two do not overlap.
void sharpen(const Sharpening& sharpening, const PlanarPixels& in, const PlanarPixels& out);
void blur(const Blur& blur, const PlanarPixels& in, const PlanarPixels& out);

// The kernel of one axis: `count` numbers (odd) that sum up to 1.
std::vector<float> gaussian(int count, double sigma);

}  // namespace flatout::data::transform
