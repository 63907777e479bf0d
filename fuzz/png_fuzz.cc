// Any bytes as a PNG file: the whole of it, and a box. Both must have the same pixels, whatever
// loops made them. Checksums of chunks are put right first, which no mutation would do.
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <span>
#include <vector>

#include "data/decode/png/decoder.h"
#include "data/decode/unclear_orientation.h"

namespace {

using namespace flatout::data;  // NOLINT(google-build-using-namespace): a program of one file

std::uint32_t crc_of(const std::uint8_t* bytes, std::size_t count) {
  std::uint32_t out = ~0U;
  for (std::size_t i = 0; i < count; ++i) {
    out ^= bytes[i];
    for (int bit = 0; bit < 8; ++bit) out = out >> 1 ^ (0xEDB88320U & (0U - (out & 1)));
  }
  return ~out;
}

void put_checksums_right(std::vector<std::uint8_t>& file) {
  for (std::size_t at = 8; at + 12 <= file.size();) {
    const std::size_t length = static_cast<std::size_t>(file[at]) << 24 |
                               static_cast<std::size_t>(file[at + 1]) << 16 |
                               static_cast<std::size_t>(file[at + 2]) << 8 | file[at + 3];
    if (length > file.size() - at - 12) return;
    const std::uint32_t crc = crc_of(file.data() + at + 4, length + 4);
    for (std::size_t i = 0; i < 4; ++i)
      file[at + 8 + length + i] = static_cast<std::uint8_t>(crc >> (24 - 8 * i));
    at += 12 + length;
  }
}

void check_box(PngDecoder& decoder, const PixelView& whole, const Box& box) {
  const auto part = decoder.decode(box);
  if (!part) std::abort();
  for (int y = 0; y < box.height; ++y) {
    if (std::memcmp(part->row(y), whole.row(box.top + y) + std::ptrdiff_t{3} * box.left,
                    3 * static_cast<std::size_t>(box.width)) != 0)
      std::abort();
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  std::vector<std::uint8_t> bytes(data, data + size);
  put_checksums_right(bytes);
  const auto file = std::as_bytes(std::span(bytes));
  (void)is_orientation_unclear(file, 1);
  PngDecoder decoder(1 << 18);
  PngDecoder plain(1 << 18, baseline::kPngKernels);
  const auto header = decoder.open(file);
  if (!header || !plain.open(file)) return 0;
  const int width = header->width;
  const int height = header->height;
  const Box box = {.left = data[size / 2] % width, .top = data[size / 3] % height};
  const auto whole = plain.decode({.width = width, .height = height});
  if (!whole) {
    (void)decoder.decode({.left = box.left, .top = box.top, .width = 1, .height = 1});
    return 0;
  }
  check_box(decoder, *whole, {.width = width, .height = height});
  check_box(decoder, *whole,
            {.left = box.left,
             .top = box.top,
             .width = 1 + data[size - 1] % (width - box.left),
             .height = 1 + data[size / 4] % (height - box.top)});
  return 0;
}
