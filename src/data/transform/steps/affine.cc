#include <algorithm>
#include <charconv>
#include <cmath>
#include <numbers>
#include <string>

#include "data/transform/steps/bounds.h"
#include "data/transform/steps/warp_steps.h"

namespace flatout::data::transform {
namespace {

constexpr double kMostDegrees = 1'000'000;
constexpr double kMostCentre = 1 << 24;
constexpr double kMostScale = 1'000'000;

double radians(double degrees) { return degrees * (std::numbers::pi / 180.0); }

// Python's round(value, 15): to the nearest decimal number, and that to the nearest double.
double rounded_to_15(double value) {
  char text[64];
  const auto end = std::to_chars(text, text + sizeof text, value, std::chars_format::fixed, 15).ptr;
  double out = 0;
  std::from_chars(text, end, out);
  return out;
}

// Python's value % 360.0.
double full_turns_off(double degrees) {
  const double rest = std::fmod(degrees, 360.0);
  return rest < 0 ? rest + 360.0 : rest;
}

Warp warp_of(const WarpStyle& style, int width, int height) {
  Warp out{.width = width, .height = height, .filter = style.filter};
  std::ranges::copy(style.fill, out.fill);
  return out;
}

Warp with_matrix(Warp warp, const double (&matrix)[6]) {
  std::ranges::copy(matrix, warp.matrix);
  return warp;
}

// A quarter or half turn that Pillow makes by moving pixels: any filter is the nearest pixel.
std::optional<Warp> turned(int width, int height, double degrees, bool expand,
                           const WarpStyle& style) {
  WarpStyle moved = style;
  moved.filter = WarpFilter::kNearest;
  const auto w = static_cast<double>(width), h = static_cast<double>(height);
  if (degrees == 180) return with_matrix(warp_of(moved, width, height), {-1, 0, w, 0, -1, h});
  if (!expand && width != height) return std::nullopt;
  if (degrees == 90) return with_matrix(warp_of(moved, height, width), {0, -1, w, 1, 0, 0});
  if (degrees == 270) return with_matrix(warp_of(moved, height, width), {0, 1, 0, -1, 0, h});
  return std::nullopt;
}

Point mapped(const double* m, double x, double y) {
  return {m[0] * x + m[1] * y + m[2], m[3] * x + m[4] * y + m[5]};
}

// Makes the result as large as the turned picture.
void expand_to_all(Warp& warp) {
  const double w = warp.width, h = warp.height;
  const Point corners[] = {mapped(warp.matrix, 0, 0), mapped(warp.matrix, w, 0),
                           mapped(warp.matrix, w, h), mapped(warp.matrix, 0, h)};
  const auto [left, right] = std::ranges::minmax(corners, {}, &Point::x);
  const auto [top, bottom] = std::ranges::minmax(corners, {}, &Point::y);
  const double wide = std::ceil(right.x) - std::floor(left.x);
  const double high = std::ceil(bottom.y) - std::floor(top.y);
  const Point moved = mapped(warp.matrix, -(wide - w) / 2.0, -(high - h) / 2.0);
  warp.matrix[2] = moved.x;
  warp.matrix[5] = moved.y;
  warp.width = static_cast<int>(wide);
  warp.height = static_cast<int>(high);
}

base::Result<void> centre_within(const std::optional<Point>& centre) {
  if (!centre || (std::fabs(centre->x) <= kMostCentre && std::fabs(centre->y) <= kMostCentre))
    return {};
  return base::fail(base::ErrorCode::kInvalid,
                    "the center is further away than " + std::to_string(kMostCentre) + " pixels");
}

int whole_side(std::int64_t side) { return static_cast<int>(side); }

}  // namespace

std::optional<Warp> rotation(int width, int height, double degrees, bool expand,
                             std::optional<Point> centre, const WarpStyle& style) {
  const double angle = full_turns_off(degrees);
  if (!centre) {
    if (angle == 0) return std::nullopt;
    if (const auto quarter = turned(width, height, angle, expand, style)) return quarter;
  }
  const Point middle = centre.value_or(Point{width / 2.0, height / 2.0});
  const double turn = -radians(angle);
  Warp out = with_matrix(warp_of(style, width, height),
                         {rounded_to_15(std::cos(turn)), rounded_to_15(std::sin(turn)), 0.0,
                          rounded_to_15(-std::sin(turn)), rounded_to_15(std::cos(turn)), 0.0});
  const Point moved = mapped(out.matrix, -middle.x, -middle.y);
  out.matrix[2] = moved.x + middle.x;
  out.matrix[5] = moved.y + middle.y;
  if (expand) expand_to_all(out);
  return out;
}

// torchvision's _get_inverse_affine_matrix, operation by operation.
Warp affine(int width, int height, const Affine& parameters, const WarpStyle& style) {
  const double turn = radians(parameters.degrees);
  const double shear_x = radians(parameters.shear.x);
  const double shear_y = radians(parameters.shear.y);
  const double a = std::cos(turn - shear_y) / std::cos(shear_y);
  const double b =
      -std::cos(turn - shear_y) * std::tan(shear_x) / std::cos(shear_y) - std::sin(turn);
  const double c = std::sin(turn - shear_y) / std::cos(shear_y);
  const double d =
      -std::sin(turn - shear_y) * std::tan(shear_x) / std::cos(shear_y) + std::cos(turn);
  const double scale = parameters.scale;
  double m[6] = {d / scale, -b / scale, 0.0, -c / scale, a / scale, 0.0};
  const Point& centre = parameters.centre;
  const Point& moved = parameters.translate;
  m[2] += m[0] * (-centre.x - moved.x) + m[1] * (-centre.y - moved.y);
  m[5] += m[3] * (-centre.x - moved.x) + m[4] * (-centre.y - moved.y);
  m[2] += centre.x;
  m[5] += centre.y;
  return with_matrix(warp_of(style, width, height), m);
}

base::Result<void> check(const RandomRotation& step) {
  if (auto degrees = ordered_within("the degrees", step.degrees, -kMostDegrees, kMostDegrees);
      !degrees)
    return degrees;
  return centre_within(step.centre);
}

base::Result<void> check(const RandomAffine& step) {
  if (auto degrees = ordered_within("the degrees", step.degrees, -kMostDegrees, kMostDegrees);
      !degrees)
    return degrees;
  for (const double share : {step.translate.x, step.translate.y}) {
    if (auto one = ordered_within("the translation", Range{share, share}, 0, 1); !one) return one;
  }
  if (auto scale = range_within("the scale", step.scale.low, step.scale.high, kMostScale); !scale)
    return scale;
  for (const Range& shear : {step.shear_x, step.shear_y}) {
    if (auto one = ordered_within("the shear", shear, -kMostDegrees, kMostDegrees); !one)
      return one;
  }
  return centre_within(step.centre);
}

base::Result<void> apply(const RandomRotation& step, DrawStream stream, Picture& picture) {
  const double degrees = drawn(stream, step.degrees);
  const auto warp = rotation(whole_side(picture.width()), whole_side(picture.height()), degrees,
                             step.expand, step.centre, {step.filter, step.fill});
  if (warp) picture.changes.emplace_back(*warp);
  return {};
}

base::Result<void> apply(const RandomAffine& step, DrawStream stream, Picture& picture) {
  const auto width = static_cast<double>(picture.width());
  const auto height = static_cast<double>(picture.height());
  Affine drawn_now{.centre = step.centre.value_or(Point{width * 0.5, height * 0.5})};
  drawn_now.degrees = drawn(stream, step.degrees);
  const double most_x = step.translate.x * width, most_y = step.translate.y * height;
  // Ties to even, as Python's round().
  drawn_now.translate.x = std::nearbyint(drawn(stream, {-most_x, most_x}));
  drawn_now.translate.y = std::nearbyint(drawn(stream, {-most_y, most_y}));
  drawn_now.scale = drawn(stream, step.scale);
  drawn_now.shear.x = drawn(stream, step.shear_x);
  drawn_now.shear.y = drawn(stream, step.shear_y);
  picture.changes.emplace_back(affine(whole_side(picture.width()), whole_side(picture.height()),
                                      drawn_now, {step.filter, step.fill}));
  return {};
}

}  // namespace flatout::data::transform
