// Planar pictures for tests.
#pragma once

#include <cstdint>
#include <vector>

#include "data/transform/change/planar_pixels.h"
#include "data/transform/kernels/kernels.h"
#include "data/transform/made_up_pixels.h"

namespace flatout::data::transform {

// A picture's channels as the changes take them.
struct Planar {
  std::vector<std::uint8_t> bytes;
  PlanarPixels pixels;

  explicit Planar(const MadeUpPicture& picture)
      : Planar(picture.bytes, picture.width, picture.height, picture.channels) {}

  Planar(const std::vector<std::uint8_t>& interleaved, int width, int height, int channels) {
    const std::ptrdiff_t plane = padded_row(width);
    bytes.resize(static_cast<std::size_t>(plane) * static_cast<std::size_t>(channels) *
                 static_cast<std::size_t>(height));
    pixels = {bytes.data(), width, height, channels, plane};
    for (std::size_t i = 0; i < interleaved.size(); ++i) bytes[place(i)] = interleaved[i];
  }

  // Of the interleaved picture's byte i.
  std::size_t place(std::size_t i) const {
    const auto channels = static_cast<std::size_t>(pixels.channels);
    const auto width = static_cast<std::size_t>(pixels.width);
    const std::size_t pixel = i / channels;
    return (pixel / width * channels + i % channels) * static_cast<std::size_t>(pixels.plane) +
           pixel % width;
  }

  std::vector<std::uint8_t> interleaved() const {
    std::vector<std::uint8_t> out(static_cast<std::size_t>(pixels.width) *
                                  static_cast<std::size_t>(pixels.height) *
                                  static_cast<std::size_t>(pixels.channels));
    for (std::size_t i = 0; i < out.size(); ++i) out[i] = pixels.data[place(i)];
    return out;
  }
};

}  // namespace flatout::data::transform
