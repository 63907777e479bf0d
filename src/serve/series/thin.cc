#include <algorithm>
#include <cmath>

#include "serve/series/series.h"

namespace flatout::serve {
namespace {

double finite_or_nan(double value) {
  return std::isfinite(value) ? value : std::numeric_limits<double>::quiet_NaN();
}

// Of pixels, from 1 on; 0 and width + 1 are what lies on either side.
class PixelColumns {
 public:
  PixelColumns(double from, double to, std::size_t width)
      : from_(from), to_(to), most_(static_cast<double>(width - 1)) {
    scale_ = static_cast<double>(width) / std::max(to - from, 1e-12);
  }
  std::size_t of(double x) const {
    if (x < from_) return 0;
    if (x > to_) return static_cast<std::size_t>(most_) + 2;
    return 1 + static_cast<std::size_t>(std::clamp((x - from_) * scale_, 0.0, most_));
  }

 private:
  double from_, to_, most_, scale_ = 1;
};

// Of numbers whose sum is none, the middle.
double mean_of(const CurvePoint& of) {
  if (of.finite == 0) return of.min;  // NaN
  return std::isfinite(of.sum) ? of.sum / static_cast<double>(of.finite) : of.min / 2 + of.max / 2;
}

void add_column(Curve& out, const CurvePoint& of) {
  out.x.push_back(of.x);
  out.min.push_back(of.min);
  out.max.push_back(of.max);
  out.mean.push_back(mean_of(of));
  out.last.push_back(finite_or_nan(of.last));
}

}  // namespace

void thin(const std::vector<CurvePoint>& points, bool single, double from, double to,
          std::size_t width, Curve& out) {
  const auto before = [](const CurvePoint& point, double x) { return point.x < x; };
  const auto after = [](double x, const CurvePoint& point) { return x < point.x; };
  auto first = std::lower_bound(points.begin(), points.end(), from, before);
  auto last = std::upper_bound(first, points.end(), to, after);
  if (first != points.begin()) --first;
  if (last != points.end()) ++last;
  out.raw = single && static_cast<std::size_t>(last - first) <= 2 * width;
  if (out.raw) {
    for (; first != last; ++first) {
      out.x.push_back(first->x);
      out.last.push_back(finite_or_nan(first->last));
    }
    return;
  }
  const PixelColumns columns(from, to, width);
  while (first != last) {
    const std::size_t column = columns.of(first->x);
    CurvePoint of = *first;
    for (++first; first != last && columns.of(first->x) == column; ++first) {
      if (!(of.min <= first->min) && first->min == first->min) of.min = first->min;
      if (!(of.max >= first->max) && first->max == first->max) of.max = first->max;
      of.x = first->x;
      of.last = first->last;
      of.sum += first->sum;
      of.finite += first->finite;
    }
    add_column(out, of);
  }
}

}  // namespace flatout::serve
