// Checks of steps' parameters, all with the same words.
#pragma once

#include <cmath>
#include <string>

#include "base/result.h"
#include "data/transform/steps/picture.h"

namespace flatout::data::transform {

// Of a box that is drawn, as torchvision does; a box beyond the ratio holds no picture of ours.
constexpr int kAttempts = 10;
constexpr double kExtremeRatio = 1'000'000;

template <typename Number>
base::Result<void> number_within(const std::string& name, Number value, Number low, Number high) {
  if (value >= low && value <= high) return {};
  return base::fail(base::ErrorCode::kInvalid, name + " is " + std::to_string(value) +
                                                   "; it must be " + std::to_string(low) + " to " +
                                                   std::to_string(high));
}

inline base::Result<void> whole_within(const std::string& name, int value, int low) {
  return number_within<int>(name, value, low, kMostSide);
}

inline base::Result<void> sides_within(const Size& size) {
  if (auto height = whole_within("the height", size.height, 1); !height) return height;
  return whole_within("the width", size.width, 1);
}

// 0 < low <= high, both finite, high at most `most`.
inline base::Result<void> range_within(const std::string& name, double low, double high,
                                       double most) {
  if (low > 0 && low <= high && high <= most && std::isfinite(high)) return {};
  return base::fail(base::ErrorCode::kInvalid,
                    name + " is (" + std::to_string(low) + ", " + std::to_string(high) +
                        "); it must be 0 < low <= high <= " + std::to_string(most));
}

// low <= range.low <= range.high <= high
template <typename Range>
base::Result<void> ordered_within(const std::string& name, const Range& range, double low,
                                  double high) {
  if (range.low >= low && range.low <= range.high && range.high <= high) return {};
  return base::fail(base::ErrorCode::kInvalid, name + " is (" + std::to_string(range.low) + ", " +
                                                   std::to_string(range.high) + "); it must be " +
                                                   std::to_string(low) +
                                                   " <= low <= high <= " + std::to_string(high));
}

inline base::Result<void> probability_within(double probability) {
  if (probability >= 0 && probability <= 1) return {};
  return base::fail(base::ErrorCode::kInvalid,
                    "the probability is " + std::to_string(probability) + "; it must be 0 to 1");
}

}  // namespace flatout::data::transform
