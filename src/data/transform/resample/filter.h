// Filters that a picture is resized with, as Pillow defines them.
#pragma once

#include <cmath>
#include <cstdint>
#include <numbers>

namespace flatout::data::transform {

enum class Filter : std::uint8_t { kBox, kBilinear, kHamming, kBicubic, kLanczos };

// How far from its centre a filter reaches, in pixels of the larger of source and result.
constexpr double reach(Filter filter) {
  switch (filter) {
    case Filter::kBox:
      return 0.5;
    case Filter::kBilinear:
      return 1;
    case Filter::kHamming:
      return 1;
    case Filter::kBicubic:
      return 2;
    case Filter::kLanczos:
      return 3;
  }
  return 0;
}

constexpr double triangle(double distance) {
  const double x = distance < 0 ? -distance : distance;
  return x < 1 ? 1 - x : 0;
}

// Keys, "Cubic convolution interpolation for digital image processing", 1981, with a = -0.5.
constexpr double keys_cubic(double distance) {
  constexpr double a = -0.5;
  const double x = distance < 0 ? -distance : distance;
  if (x < 1) return ((a + 2) * x - (a + 3)) * x * x + 1;
  if (x < 2) return (((x - 5) * x + 8) * x - 4) * a;
  return 0;
}

inline double sinc(double x) {
  if (x == 0) return 1;
  const double angle = x * std::numbers::pi;
  return std::sin(angle) / angle;
}

inline double hamming(double distance) {
  const double x = distance < 0 ? -distance : distance;
  if (x == 0) return 1;
  if (x >= 1) return 0;
  // Pillow's two constants are floats, and what it makes of them doubles.
  constexpr double kBase = 0.54F;
  constexpr double kSwing = 0.46F;
  const double angle = x * std::numbers::pi;
  return std::sin(angle) / angle * (kBase + kSwing * std::cos(angle));
}

inline double lanczos(double x) { return x >= -3 && x < 3 ? sinc(x) * sinc(x / 3) : 0; }

// The filter's value at a distance from its centre; not normalised.
inline double weight_at(Filter filter, double distance) {
  switch (filter) {
    case Filter::kBox:
      return distance > -0.5 && distance <= 0.5 ? 1 : 0;
    case Filter::kBilinear:
      return triangle(distance);
    case Filter::kHamming:
      return hamming(distance);
    case Filter::kBicubic:
      return keys_cubic(distance);
    case Filter::kLanczos:
      return lanczos(distance);
  }
  return 0;
}

}  // namespace flatout::data::transform
