#include "data/transform/change/change.h"

#include <utility>

namespace flatout::data::transform {
namespace {

// Of `width` columns; the memory is not there yet.
PlanarPixels form(int width, int height, int channels) {
  return {nullptr, width, height, channels, padded_row(width)};
}

void give_memory(PlanarPixels& pixels, AlignedMemory& memory) {
  const auto bytes =
      static_cast<std::size_t>(pixels.row_bytes()) * static_cast<std::size_t>(pixels.height);
  memory.at_least(bytes);
  pixels.data = memory.as<std::uint8_t>();
}

}  // namespace

const PlanarPixels& Canvas::begin(int width, int height, int channels) {
  pixels_ = form(width, height, channels);
  give_memory(pixels_, memory_);
  return pixels_;
}

PlanarPixels Canvas::other(int width, int height) {
  PlanarPixels made = form(width, height, pixels_.channels);
  give_memory(made, other_);
  return made;
}

void Canvas::turn(const PlanarPixels& made) {
  std::swap(memory_, other_);
  pixels_ = made;
}

void Canvas::change(const Change& change, const Kernels& kernels) {
  if (const auto* colours = std::get_if<ColourChange>(&change))
    return change_colours(*colours, kernels, pixels_);
  if (const auto* shape = std::get_if<Warp>(&change)) {
    const PlanarPixels made = other(shape->width, shape->height);
    warp(*shape, pixels_, made);
    return turn(made);
  }
  const PlanarPixels made = other(pixels_.width, pixels_.height);
  if (const auto* one = std::get_if<Sharpening>(&change)) sharpen(*one, pixels_, made);
  if (const auto* one = std::get_if<Blur>(&change)) blur(*one, pixels_, made);
  turn(made);
}

}  // namespace flatout::data::transform
