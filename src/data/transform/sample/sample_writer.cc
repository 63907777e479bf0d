#include "data/transform/sample/sample_writer.h"

#include <cstring>

#include "data/transform/sample/levels.h"

namespace flatout::data::transform {
namespace {

void write_number(NumberType type, float number, std::byte* out) {
  std::uint16_t half = 0;
  switch (type) {
    case NumberType::kFloat32:
      std::memcpy(out, &number, sizeof number);
      return;
    case NumberType::kUint8:
      *out = static_cast<std::byte>(number);
      return;
    case NumberType::kFloat16:
      half = float16_bits(number);
      break;
    case NumberType::kBfloat16:
      half = bfloat16_bits(number);
      break;
  }
  std::memcpy(out, &half, sizeof half);
}

}  // namespace

void write_row(const Kernels& kernels, const SampleShape& shape, const Levels& levels, int index,
               const std::uint8_t* row, std::ptrdiff_t plane, std::byte* out) {
  const auto type = static_cast<std::size_t>(shape.type);
  const std::ptrdiff_t line =
      std::ptrdiff_t{shape.width} * static_cast<std::ptrdiff_t>(bytes_of(shape.type));
  if (shape.layout == Layout::kChannelsLast && shape.channels == 3) {
    kernels.write_mixed[type](levels, row, plane, shape.width, out + index * line * 3);
    return;
  }
  for (int channel = 0; channel < shape.channels; ++channel) {
    const std::ptrdiff_t lines_before = std::ptrdiff_t{channel} * shape.height + index;
    kernels.write_plane[type](levels, channel, row + channel * plane, shape.width,
                              out + lines_before * line);
  }
}

void erase(const SampleShape& shape, const Erasure& erasure, std::byte* out) {
  const bool last = shape.layout == Layout::kChannelsLast;
  const std::ptrdiff_t across = last ? shape.channels : 1;  // numbers from a pixel to the next one
  const std::ptrdiff_t down = across * shape.width;
  const std::ptrdiff_t next_channel = last ? 1 : down * shape.height;
  const auto bytes = static_cast<std::ptrdiff_t>(bytes_of(shape.type));
  DrawStream numbers = erasure.numbers;
  const Box& box = erasure.box;
  const bool varies = erasure.noise && !erasure.one_colour;
  for (int channel = 0; channel < shape.channels; ++channel) {
    const float same =
        erasure.one_colour ? static_cast<float>(numbers.normal()) : erasure.value[channel];
    for (int y = box.top; y < box.top + box.height; ++y) {
      std::byte* at = out + (channel * next_channel + y * down + box.left * across) * bytes;
      for (int x = 0; x < box.width; ++x, at += across * bytes)
        write_number(shape.type, varies ? static_cast<float>(numbers.normal()) : same, at);
    }
  }
}

}  // namespace flatout::data::transform
