// One direction of a picture on its way through crops, paddings, flips and at most one resize,
// before any pixel is touched: from which pixels of the source each pixel of the result comes. Rows
// and columns never mix in these transforms, so a picture's way is two of these. Values; any
// thread.
#pragma once

#include <cstdint>

#include "data/transform/resample/filter.h"

namespace flatout::data::transform {

struct Span {
  std::int64_t first = 0;
  std::int64_t count = 0;
  std::int64_t end() const { return first + count; }
  bool operator==(const Span&) const = default;
};

// Of two spans, what both hold; a count of 0 where that is nothing.
Span common(const Span& a, const Span& b);

// Consecutive pixels of a line, seen in either order. It may reach beyond the line, and beyond what
// an earlier window left of it: what is there is black.
struct Window {
  Span range;  // in the line
  Span seen;   // of it, what is not black
  bool flipped = false;

  // All of a line.
  explicit Window(std::int64_t length = 0) : range{0, length}, seen{0, length} {}

  // Where the window's pixel `index` lies in the line.
  std::int64_t at(std::int64_t index) const {
    return flipped ? range.end() - 1 - index : range.first + index;
  }
  // The window of the window's own pixels [first, first + count).
  void narrow(std::int64_t first, std::int64_t count);
  bool operator==(const Window&) const = default;
};

class Axis {
 public:
  // Of a source of `length` pixels, at least 1.
  explicit Axis(std::int64_t length);

  // What the steps so far leave; where a step's parameters are drawn, it is from this.
  std::int64_t length() const { return scaled_ ? after_.range.count : before_.range.count; }

  // Keeps [first, first + count) of what is left. A range outside pads with black.
  void crop(std::int64_t first, std::int64_t count);
  void flip();
  // Once an axis, `length` at least 1. The filter sees what is left and nothing beyond it, as a
  // picture that was cropped before; black of a padding counts as pixels.
  void resize(std::int64_t length, Filter filter);

  // By how much the source may be scaled down before it: no more than the resize does, and not at
  // all where nothing is resized or black is resized too. At least 1.
  double spare_scale() const;
  // The same result, of a source at 1/scale_denom of its size whose first pixel begins `phase` of
  // the old pixels before it. Pixels that lie only partly within what is left count as wholly
  // within.
  Axis of_scaled_source(int scale_denom, int phase) const;

  // The pixels of the source that the result depends on. At least one and within the source, also
  // where the result is all black.
  Span source() const;

  // The pixels of the source that result pixel `index` depends on, and what their weights depend
  // on.
  struct Reach {
    Span source;             // also what is not there, or black
    Span seen;               // without that
    bool reversed = false;   // the first weight belongs to the last pixel
    std::int64_t first = 0;  // of the line that is resized: where the weights begin,
    double centre = 0;       // and the middle of the result's pixel
  };
  Reach reach_of(std::int64_t index) const;

  bool scaled() const { return scaled_; }  // a resize was said, whatever its length
  bool resamples() const { return scaled_ && (after_resize_ != before_.range.count || !whole_); }
  // Lengths before and after the resize; the same where nothing is resampled.
  std::int64_t unscaled_length() const { return before_.range.count; }
  std::int64_t scaled_length() const { return scaled_ ? after_resize_ : before_.range.count; }
  double scale() const { return scale_; }  // the one over the other
  Filter filter() const { return filter_; }

  bool operator==(const Axis&) const = default;

 private:
  Reach reach_in_line(std::int64_t position) const;

  Window before_;                  // of the source
  bool scaled_ = false;            // what follows holds
  std::int64_t after_resize_ = 0;  // length of before_ after the resize
  Window after_;                   // of that
  double scale_ = 1;
  double offset_ = 0;  // of what is resized, in the first pixel; not 0 in a scaled source alone
  bool whole_ = true;  // what is resized begins and ends between two pixels
  Filter filter_ = Filter::kBilinear;
};

}  // namespace flatout::data::transform
