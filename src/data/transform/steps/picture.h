// A picture that does not exist yet: what the steps of a chain will make of it.
#pragma once

#include <cstdint>
#include <vector>

#include "data/draws.h"
#include "data/pixels.h"
#include "data/transform/change/change.h"
#include "data/transform/resample/axis.h"

namespace flatout::data::transform {

// A box of the sample's numbers that is written over.
struct Erasure {
  Box box;
  bool noise = false;          // normal random numbers with mean 0 and deviation 1, else
  bool one_colour = false;     // (of the noise: one number a channel)
  float value[3] = {0, 0, 0};  // the same for all of a channel
  DrawStream numbers{{}, {}};  // of the noise: channel after channel, row after row
};

// A pass over the pixels, and what is then done to the whole that it gives.
struct Layer {
  Axis x;
  Axis y;
  std::vector<Change> changes = {};  // in order

  // What it gives.
  std::int64_t width() const;
  std::int64_t height() const;
};

// Most chains need one layer. Another one begins where a shape follows on changes, or a resize on a
// resize; then the whole picture of the one before is kept.
struct Picture {
  Axis x;  // of the last layer, as are the changes
  Axis y;
  std::vector<Change> changes = {};
  std::vector<Layer> before = {};      // in order
  std::vector<Erasure> erasures = {};  // of the sample, in order

  std::int64_t width() const;
  std::int64_t height() const;
  // The layer of the decoded pixels.
  const Axis& source_x() const { return before.empty() ? x : before.front().x; }
  const Axis& source_y() const { return before.empty() ? y : before.front().y; }
  // Pixels of the largest whole picture between two layers; 0 where there is one layer.
  std::int64_t kept_pixels() const;

  // To be called before what crops (pads), or resizes.
  void before_crop();
  void before_resize();

  // A box of what is left; black where it reaches outside.
  void crop(std::int64_t left, std::int64_t top, std::int64_t width, std::int64_t height) {
    before_crop();
    x.crop(left, width);
    y.crop(top, height);
  }
  void resize(std::int64_t width, std::int64_t height, Filter filter) {
    before_resize();
    x.resize(width, filter);
    y.resize(height, filter);
  }
  void flip_columns();
  void flip_rows();

 private:
  void begin_layer();
  bool warps() const;
};

struct Size {
  int width = 0;
  int height = 0;
  bool operator==(const Size&) const = default;
};

// Largest side of a result or padding. Far above what is trained on, and far below what overflows.
constexpr int kMostSide = 16'384;

}  // namespace flatout::data::transform
