#include "data/transform/scaled_source.h"

#include <algorithm>

namespace flatout::data::transform {
namespace {

constexpr int kLargestDenom = 8;

// By how many pixels the scaled picture begins before the shown one.
int phase(int from_end, int denom) { return (denom - from_end % denom) % denom; }

}  // namespace

int scale_denom(const Picture& picture) {
  const double most = std::min(picture.source_x().spare_scale(), picture.source_y().spare_scale());
  int denom = 1;
  while (denom < kLargestDenom && 2 * denom <= most) denom *= 2;
  return denom;
}

void scale_source(Picture& picture, int denom, const ScaledSource& source) {
  Axis& x = picture.before.empty() ? picture.x : picture.before.front().x;
  Axis& y = picture.before.empty() ? picture.y : picture.before.front().y;
  x = x.of_scaled_source(denom, phase(source.width_from_end, denom));
  y = y.of_scaled_source(denom, phase(source.height_from_end, denom));
}

}  // namespace flatout::data::transform
