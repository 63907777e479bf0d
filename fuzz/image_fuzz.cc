// Any bytes as a picture of whatever format, turned as its EXIF data say, in colour and in grey,
// at each part of its size: a box is what the whole picture has there. First byte: which of them.
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <span>
#include <vector>

#include "data/decode/image_decoder.h"

namespace {

using namespace flatout::data;  // NOLINT(google-build-using-namespace): a program of one file

std::vector<std::uint8_t> copied(const PixelView& from) {
  std::vector<std::uint8_t> out;
  for (int y = 0; y < from.height; ++y)
    out.insert(out.end(), from.row(y), from.row(y) + std::ptrdiff_t{from.width} * from.channels);
  return out;
}

void check_box(const PixelView& part, const std::vector<std::uint8_t>& whole, int width,
               const Box& box) {
  if (part.width != box.width || part.height != box.height) std::abort();
  const auto row_bytes = static_cast<std::size_t>(box.width * part.channels);
  for (int y = 0; y < box.height; ++y) {
    const auto at = static_cast<std::size_t>(((box.top + y) * width + box.left) * part.channels);
    if (std::memcmp(part.row(y), whole.data() + at, row_bytes) != 0) std::abort();
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size < 2) return 0;
  const unsigned which = *data++;
  --size;
  ImageDecoder decoder({.max_pixels = 1 << 16,
                        .exif_orientation = which % 2 == 0,
                        .strict_orientation = which / 2 % 2 != 0,
                        .fast = which / 4 % 2 != 0});
  const auto opened = decoder.open(std::as_bytes(std::span(data, size)));
  if (!opened) return 0;
  const int channels = which / 8 % 2 == 0 ? 3 : 1;
  const int denom = decoder.can_scale() ? 1 << which / 16 % 4 : 1;
  const int width = (opened->width + denom - 1) / denom;
  const int height = (opened->height + denom - 1) / denom;
  const auto view = decoder.decode({0, 0, width, height}, channels, denom);
  if (!view) return 0;
  const std::vector<std::uint8_t> whole = copied(*view);
  if (view->channels != channels || view->width != width || view->height != height) std::abort();
  const int left = data[size / 2] % width;
  const int top = data[size / 3] % height;
  const Box box{left, top, 1 + data[size - 1] % (width - left),
                1 + data[size / 4] % (height - top)};
  const auto part = decoder.decode(box, channels, denom);
  if (part) check_box(*part, whole, width, box);
  return 0;
}
