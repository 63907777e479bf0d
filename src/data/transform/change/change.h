// What is done to a whole picture, one after the other: colours, neighbours, shape.
#pragma once

#include <variant>

#include "data/transform/change/colour.h"
#include "data/transform/change/neighbours.h"
#include "data/transform/change/warp.h"
#include "data/transform/kernels/aligned_memory.h"
#include "data/transform/kernels/kernels.h"

namespace flatout::data::transform {

using Change = std::variant<ColourChange, Sharpening, Blur, Warp>;

// A picture that is changed. What cannot be done in place goes to a second memory, and the two
// change places. One thread; keeps its memory from picture to picture.
class Canvas {
 public:
  // A picture of that size, whose pixels are anything yet.
  const PlanarPixels& begin(int width, int height, int channels);
  void change(const Change& change, const Kernels& kernels);

  const PlanarPixels& pixels() const { return pixels_; }
  std::size_t memory_bytes() const { return memory_.bytes() + other_.bytes(); }

 private:
  PlanarPixels other(int width, int height);
  void turn(const PlanarPixels& made);

  AlignedMemory memory_;  // of pixels_
  AlignedMemory other_;
  PlanarPixels pixels_;
};

}  // namespace flatout::data::transform
