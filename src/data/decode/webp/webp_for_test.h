// WebP files made by libwebp's encoder, and its own decoding of them, for tests and fuzz seeds.
#pragma once

#include <webp/decode.h>
#include <webp/encode.h>

#include <cstddef>
#include <vector>

#include "data/decode/jpeg/jpeg_for_test.h"

namespace flatout::data {

struct WebpRecipe {
  int width = 16;
  int height = 16;
  bool lossless = false;
  bool alpha = false;
  float quality = 80;
  std::uint64_t seed = 1;
};

inline std::vector<std::byte> make_webp(const WebpRecipe& r) {
  TestRandom random(r.seed);
  std::vector<std::uint8_t> pixels;
  for (int y = 0; y < r.height; ++y) {
    for (int x = 0; x < r.width; ++x) {
      for (int c = 0; c < 4; ++c)
        pixels.push_back(static_cast<std::uint8_t>(x * (9 - 2 * c) + y * 5 + random.below(40)));
      if (!r.alpha) pixels.back() = 255;
    }
  }
  std::uint8_t* out = nullptr;
  const int stride = 4 * r.width;
  const std::size_t size =
      r.lossless ? WebPEncodeLosslessRGBA(pixels.data(), r.width, r.height, stride, &out)
                 : WebPEncodeRGBA(pixels.data(), r.width, r.height, stride, r.quality, &out);
  const auto* bytes = reinterpret_cast<const std::byte*>(out);
  std::vector<std::byte> file(bytes, bytes + size);
  WebPFree(out);
  return file;
}

inline Pixels libwebp_pixels(const std::vector<std::byte>& file) {
  Pixels out;
  std::uint8_t* rgb = WebPDecodeRGB(reinterpret_cast<const std::uint8_t*>(file.data()), file.size(),
                                    &out.width, &out.height);
  if (rgb != nullptr) out.rgb.assign(rgb, rgb + std::ptrdiff_t{3} * out.width * out.height);
  WebPFree(rgb);
  return out;
}

}  // namespace flatout::data
