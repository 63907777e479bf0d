// Steps that turn, shear, scale and move a picture, with torchvision's parameters and defaults; as
// steps.h has them. What is drawn is rounded to float32, as torch draws it.
#pragma once

#include <array>
#include <cstdint>
#include <optional>

#include "base/result.h"
#include "data/draws.h"
#include "data/transform/steps/picture.h"

namespace flatout::data::transform {

struct Range {
  double low = 0;
  double high = 0;
};

// From a range, as torch draws it.
inline double drawn(DrawStream& stream, const Range& range) {
  return static_cast<double>(static_cast<float>(stream.uniform(range.low, range.high)));
}

// In pixels from the upper left corner.
struct Point {
  double x = 0;
  double y = 0;
};

using Fill = std::array<std::uint8_t, 3>;  // red, green, blue; for grey the first

// Against the clock, about the middle where no centre is given.
struct RandomRotation {
  Range degrees = {};
  WarpFilter filter = WarpFilter::kNearest;
  bool expand = false;  // the result holds all of the turned picture
  std::optional<Point> centre = {};
  Fill fill = {};
};

struct RandomAffine {
  Range degrees = {};
  Point translate = {};  // at most that share of width and height, either way, whole pixels
  Range scale{1, 1};
  Range shear_x = {};  // degrees
  Range shear_y = {};
  WarpFilter filter = WarpFilter::kNearest;
  std::optional<Point> centre = {};
  Fill fill = {};
};

// The four corners moved inwards, each by up to that share of half the sides, whole pixels.
struct RandomPerspective {
  double distortion = 0.5;  // 0 to 1
  double probability = 0.5;
  WarpFilter filter = WarpFilter::kBilinear;
  Fill fill = {};
};

base::Result<void> check(const RandomPerspective& step);
base::Result<void> apply(const RandomPerspective& step, DrawStream stream, Picture& picture);
base::Result<void> check(const RandomRotation& step);
base::Result<void> check(const RandomAffine& step);
base::Result<void> apply(const RandomRotation& step, DrawStream stream, Picture& picture);
base::Result<void> apply(const RandomAffine& step, DrawStream stream, Picture& picture);

// How a warp fills and filters.
struct WarpStyle {
  WarpFilter filter = WarpFilter::kNearest;
  Fill fill = {};
};

// What Pillow's Image.rotate does to a picture of that size; nothing where it copies it.
std::optional<Warp> rotation(int width, int height, double degrees, bool expand,
                             std::optional<Point> centre, const WarpStyle& style);

// torchvision's functional.perspective on PIL pictures: the corners (upper left, upper right, lower
// right, lower left) are seen at `seen`. The eight numbers are the solution of its equations,
// rounded to float32 as there; where it solves them by least squares with noise of 1e-15 for a
// number that is 0, here it is 0 or noise of another kind. All is filled where three corners are
// seen in one line.
Warp perspective(int width, int height, const Point (&seen)[4], const WarpStyle& style);

// torchvision's functional.affine on PIL pictures.
struct Affine {
  Point centre;
  double degrees = 0;
  Point translate = {};
  double scale = 1;
  Point shear = {};  // degrees
};
Warp affine(int width, int height, const Affine& parameters, const WarpStyle& style);

}  // namespace flatout::data::transform
