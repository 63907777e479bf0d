// Any bytes as a WebP file: the whole of it, and a box that it chooses itself, which must be what
// it is in the whole.
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <span>
#include <vector>

#include "data/decode/webp/decoder.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace flatout::data;  // NOLINT(google-build-using-namespace): a program of one file
  WebpDecoder decoder(1 << 18);
  WebpDecoder other(1 << 18);
  const auto file = std::as_bytes(std::span(data, size));
  const auto info = decoder.open(file);
  if (!info || !other.open(file)) return 0;
  Box box = {.left = data[size / 2] % info->width, .top = data[size / 3] % info->height};
  box.width = 1 + data[size - 1] % (info->width - box.left);
  box.height = 1 + data[size / 4] % (info->height - box.top);
  const auto part = other.decode(box);
  const auto whole = decoder.decode({.width = info->width, .height = info->height});
  if (!whole || !part) return 0;
  for (int y = 0; y < box.height; ++y) {
    if (std::memcmp(part->row(y), whole->row(box.top + y) + std::ptrdiff_t{3} * box.left,
                    3 * static_cast<std::size_t>(box.width)) != 0)
      std::abort();
  }
  return 0;
}
