#include "data/transform/resample/taps.h"

#include <algorithm>

namespace flatout::data::transform {
namespace {

// Weights of one pixel of the result, normalised, in double precision and in Pillow's order of
// operations.
void exact_weights(const Axis& axis, const Axis::Reach& reach, double per_pixel,
                   std::vector<double>& weights) {
  weights.assign(static_cast<std::size_t>(reach.source.count), 1.0);
  if (!axis.resamples()) return;
  double sum = 0;
  double at = static_cast<double>(reach.first);
  for (double& weight : weights) {
    weight = weight_at(axis.filter(), (at - reach.centre + 0.5) * per_pixel);
    sum += weight;
    at += 1;
  }
  if (sum == 0) return;
  for (double& weight : weights) weight /= sum;
}

std::int32_t fixed(double weight) {
  return static_cast<std::int32_t>(weight < 0 ? weight * kWholeWeight - 0.5
                                              : weight * kWholeWeight + 0.5);
}

}  // namespace

void Taps::find(const Axis& axis) {
  taps.clear();
  weights.clear();
  most = 1;
  const std::int64_t origin = axis.source().first;
  const double per_pixel = 1.0 / std::max(axis.scale(), 1.0);
  for (std::int64_t index = 0; index < axis.length(); ++index) {
    const Axis::Reach reach = axis.reach_of(index);
    const std::size_t begin = weights.size();
    // A weight adds nothing to black.
    if (reach.seen.count == 0) {
      taps.push_back({0, 0, begin});
      continue;
    }
    exact_weights(axis, reach, per_pixel, exact_);
    if (reach.reversed) std::reverse(exact_.begin(), exact_.end());
    for (const double weight : exact_) weights.push_back(fixed(weight));
    taps.push_back({static_cast<std::int32_t>(reach.seen.first - origin),
                    static_cast<std::int32_t>(reach.seen.count),
                    begin + static_cast<std::size_t>(reach.seen.first - reach.source.first)});
    most = std::max(most, taps.back().count);
  }
}

}  // namespace flatout::data::transform
