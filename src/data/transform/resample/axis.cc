#include "data/transform/resample/axis.h"

#include <algorithm>

namespace flatout::data::transform {

Span common(const Span& a, const Span& b) {
  const std::int64_t first = std::max(a.first, b.first);
  return {first, std::max<std::int64_t>(std::min(a.end(), b.end()) - first, 0)};
}

void Window::narrow(std::int64_t first, std::int64_t count) {
  range = {flipped ? range.end() - first - count : range.first + first, count};
  seen = common(seen, range);
}

Axis::Axis(std::int64_t length) : before_(length) {}

void Axis::crop(std::int64_t first, std::int64_t count) {
  (scaled_ ? after_ : before_).narrow(first, count);
}

void Axis::flip() {
  bool& flipped = (scaled_ ? after_ : before_).flipped;
  flipped = !flipped;
}

void Axis::resize(std::int64_t length, Filter filter) {
  scaled_ = true;
  after_resize_ = length;
  after_ = Window(length);
  scale_ = static_cast<double>(before_.range.count) / static_cast<double>(length);
  filter_ = filter;
}

double Axis::spare_scale() const {
  const bool spares = resamples() && before_.seen == before_.range;
  return spares ? std::max(scale(), 1.0) : 1.0;
}

Axis Axis::of_scaled_source(int scale_denom, int phase) const {
  Axis axis = *this;
  const std::int64_t begin = before_.range.first + phase;
  const std::int64_t end = begin + before_.range.count;
  const std::int64_t first = begin / scale_denom;
  const std::int64_t last = (end + scale_denom - 1) / scale_denom;
  axis.before_.range = axis.before_.seen = {first, last - first};
  const std::int64_t before = begin - first * scale_denom;  // of the old pixels, not within
  const std::int64_t behind = last * scale_denom - end;
  axis.offset_ = static_cast<double>(before_.flipped ? behind : before) / scale_denom;
  axis.whole_ = before == 0 && behind == 0;
  axis.scale_ = scale() / scale_denom;
  return axis;
}

// Bounds and centre as Pillow computes them, to the last bit: its ImagingResample is the
// definition.
Axis::Reach Axis::reach_in_line(std::int64_t position) const {
  Reach reach;
  reach.reversed = before_.flipped;
  reach.first = position;
  std::int64_t end = position + 1;
  if (resamples()) {
    const double wide = transform::reach(filter_) * std::max(scale(), 1.0);
    reach.centre = (static_cast<double>(position) + 0.5) * scale() + offset_;
    const double low = reach.centre - wide + 0.5;
    const double high = reach.centre + wide + 0.5;
    reach.first = std::max<std::int64_t>(static_cast<std::int64_t>(low), 0);
    end = std::min(static_cast<std::int64_t>(high), before_.range.count);
  }
  reach.source = {before_.at(before_.flipped ? end - 1 : reach.first), end - reach.first};
  reach.seen = common(reach.source, before_.seen);
  return reach;
}

Axis::Reach Axis::reach_of(std::int64_t index) const {
  if (!scaled_) return reach_in_line(index);
  const std::int64_t position = after_.at(index);
  if (common({position, 1}, after_.seen).count == 0) return {};
  return reach_in_line(position);
}

Span Axis::source() const {
  Span line = scaled_ ? after_.seen : Span{0, before_.range.count};
  if (line.count == 0) return {0, 1};
  // Both ends of a reach grow with the position, so the first and the last one hold all between.
  const Span a = reach_in_line(line.first).source;
  const Span b = reach_in_line(line.end() - 1).source;
  const std::int64_t first = std::min(a.first, b.first);
  const Span needed = common({first, std::max(a.end(), b.end()) - first}, before_.seen);
  return needed.count > 0 ? needed : Span{0, 1};
}

}  // namespace flatout::data::transform
