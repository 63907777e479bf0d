#include "apply/search/points.h"

#include <algorithm>
#include <cmath>
#include <cstdio>

namespace flatout::apply {
namespace {

constexpr int kMostDraws = 1'000'000;  // of which none was new; there are at most 10 000 points

std::string whole_text(double value) {
  char text[32];
  std::snprintf(text, sizeof text, "%.0f", value);
  return text;
}

// Six digits are more than a setting needs, and read well.
std::string number_text(double value) {
  char text[32];
  std::snprintf(text, sizeof text, "%.6g", value);
  return text;
}

std::size_t chosen(double unit, std::size_t count) {
  return std::min(count - 1, static_cast<std::size_t>(unit * static_cast<double>(count)));
}

}  // namespace

std::string value_in(const Range& range, double unit) {
  double value = range.from;
  if (range.step > 0) {
    const double steps = std::floor((range.to - range.from) / range.step * (1 + 1e-12) + 1e-9);
    value += range.step * std::min(steps, std::floor(unit * (steps + 1)));
  } else if (range.log) {
    value = std::exp(std::log(range.from) + unit * (std::log(range.to) - std::log(range.from)));
  } else {
    value += unit * (range.to - range.from);
  }
  value = std::clamp(value, range.from, range.to);
  return range.whole ? whole_text(std::round(value)) : number_text(value);
}

PointSequence::PointSequence(const SearchSpace& space)
    : space_(space), count_(count_points(space)), random_(space.seed) {}

std::optional<SearchPoint> PointSequence::next() {
  if (count_ && given_.size() >= *count_) return std::nullopt;
  for (int draw = 0; draw < kMostDraws; ++draw) {
    SearchPoint point;
    std::vector<std::string> values;
    for (const Dimension& dimension : space_.dimensions) {
      const double unit = random_.unit();
      values.push_back(dimension.choices.empty()
                           ? value_in(dimension.range, unit)
                           : dimension.choices[chosen(unit, dimension.choices.size())]);
      point.push_back({dimension.kind, dimension.name, values.back()});
    }
    if (given_.insert(std::move(values)).second) return point;
  }
  return std::nullopt;
}

}  // namespace flatout::apply
