#include <algorithm>
#include <cmath>

#include "analyse/charts/parts.h"

namespace flatout::analyse {
namespace {

class Bucket {
 public:
  void add(std::int64_t t_ns, double value) {
    if (count_ == 0) first_ns_ = t_ns;
    last_ns_ = t_ns;
    min_ = count_ == 0 ? value : std::min(min_, value);
    max_ = count_ == 0 ? value : std::max(max_, value);
    sum_ += value;
    ++count_;
  }
  // Consumes what was added.
  void flush(std::int64_t start_ns, std::vector<run::ChartPoint>& out) {
    if (count_ == 0) return;
    const double middle_ns =
        static_cast<double>(first_ns_ - start_ns) + static_cast<double>(last_ns_ - first_ns_) / 2;
    // Rounding must not push the mean out of its own band.
    const double mean = std::clamp(sum_ / static_cast<double>(count_), min_, max_);
    out.push_back({middle_ns / 1e9, mean, min_, max_});
    *this = Bucket();
  }

 private:
  std::int64_t first_ns_ = 0, last_ns_ = 0;
  double min_ = 0, max_ = 0, sum_ = 0;
  std::size_t count_ = 0;
};

}  // namespace

std::vector<run::ChartPoint> thin(const run::Records<run::Point>& points, std::int64_t start_ns,
                                  std::size_t limit) {
  std::vector<run::ChartPoint> out;
  if (points.empty() || limit == 0) return out;
  const bool each = points.size() <= limit;
  const std::int64_t first = points.first_ns();
  const double covered = static_cast<double>(points.last_ns() - first);
  out.reserve(std::min(points.size(), limit));
  Bucket bucket;
  std::size_t current = 0;
  for (const run::Point& point : points) {
    if (!std::isfinite(point.value)) continue;
    const double place = covered > 0 ? static_cast<double>(point.t_ns - first) / covered : 0;
    const auto index = std::min(
        limit - 1, static_cast<std::size_t>(std::max(0.0, place) * static_cast<double>(limit)));
    if (each || index > current) {  // a point that goes back in time stays where we are
      bucket.flush(start_ns, out);
      current = index;
    }
    bucket.add(point.t_ns, point.value);
  }
  bucket.flush(start_ns, out);
  return out;
}

}  // namespace flatout::analyse
