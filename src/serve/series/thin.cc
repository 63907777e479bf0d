#include <algorithm>
#include <cmath>

#include "serve/series/series.h"

namespace flatout::serve {
namespace {

struct PixelColumn {
  double min = std::numeric_limits<double>::quiet_NaN();
  double max = std::numeric_limits<double>::quiet_NaN();
  double sum = 0, count = 0;
  void include(double value) {
    if (!std::isfinite(value)) return;
    if (!(min <= value)) min = value;
    if (!(max >= value)) max = value;
    sum += value;
    count += 1;
  }
  double mean() const {
    // Of numbers whose sum is none, the middle.
    return count == 0 || std::isfinite(sum) ? sum / count : min / 2 + max / 2;
  }
};

double finite_or_nan(double value) {
  return std::isfinite(value) ? value : std::numeric_limits<double>::quiet_NaN();
}

void copy_raw(const PointView& points, std::size_t first, std::size_t last, Curve& out) {
  out.raw = true;
  for (std::size_t i = first; i < last; ++i) {
    out.x.push_back(points.x[i]);
    out.last.push_back(finite_or_nan(points.value[i]));
  }
}

}  // namespace

void thin(const PointView& points, double from, double to, std::size_t width, Curve& out) {
  const double* end = points.x + points.count;
  auto first = static_cast<std::size_t>(std::lower_bound(points.x, end, from) - points.x);
  auto last = static_cast<std::size_t>(std::upper_bound(points.x, end, to) - points.x);
  if (first > 0) --first;
  if (last < points.count) ++last;
  if (first >= last) return;
  if (last - first <= 2 * width) return copy_raw(points, first, last, out);
  out.raw = false;
  const double scale = static_cast<double>(width) / std::max(to - from, 1e-12);
  const auto column_of = [&](double x) {
    return static_cast<std::size_t>(
        std::clamp((x - from) * scale, 0.0, static_cast<double>(width - 1)));
  };
  std::size_t i = first;
  while (i < last) {
    const std::size_t column = column_of(points.x[i]);
    PixelColumn of;
    for (; i < last && column_of(points.x[i]) == column; ++i) of.include(points.value[i]);
    out.x.push_back(points.x[i - 1]);
    out.min.push_back(of.min);
    out.max.push_back(of.max);
    out.mean.push_back(of.mean());
    out.last.push_back(finite_or_nan(points.value[i - 1]));
  }
}

}  // namespace flatout::serve
