// JPEG files made by libjpeg-turbo's compressor, and its own decoding of them, for tests, fuzz
// seeds and benchmarks.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "data/pixels.h"

namespace flatout::data {

struct JpegRecipe {
  int width = 16;
  int height = 16;
  int quality = 90;
  int h = 2;  // sampling factors of the first component; those of the others are 1
  int v = 2;
  enum class Colour { kGrey, kYcc, kRgb, kCmyk, kYcck } colour = Colour::kYcc;
  int restart_interval = 0;  // in MCUs
  bool optimise = false;     // Huffman tables of its own
  bool progressive = false;
  bool arithmetic = false;
  bool separate_scans = false;  // one scan a component
  // 0: smooth, 255: noise in all bits
  int noise = 32;
  std::uint64_t seed = 1;
  std::vector<std::uint8_t> pixels =
      {};  // interleaved, as many channels as the colour has; made up from the above where empty
  std::vector<std::uint8_t> exif = {};  // content of an APP1 marker; none where empty
};

std::vector<std::byte> make_jpeg(const JpegRecipe& recipe);

struct Pixels {
  int width = 0;
  int height = 0;
  std::vector<std::uint8_t> rgb = {};
  PixelView view() const {
    return {.data = rgb.data(),
            .width = width,
            .height = height,
            .channels = 3,
            .stride = std::ptrdiff_t{3} * width};
  }
};

// The whole image as libjpeg-turbo decodes it to RGB, at 1/scale_denom of its size; nothing where
// it finds an error, or the end of the file before the end marker.
std::optional<Pixels> libjpeg_pixels(const std::vector<std::byte>& file, int scale_denom = 1);

// Whether `got` is that box of `whole`.
bool is_box_of(const PixelView& got, const Pixels& whole, const Box& box);

// A small generator of random numbers (splitmix64, Steele et al. 2014).
class TestRandom {
 public:
  explicit TestRandom(std::uint64_t seed) : state_(seed) {}
  std::uint64_t next();
  int below(int bound) { return static_cast<int>(next() % static_cast<std::uint64_t>(bound)); }

 private:
  std::uint64_t state_;
};

// Within width x height.
Box random_box(TestRandom& random, int width, int height);

// What our own decoder takes, of at most `largest` pixels a side.
JpegRecipe random_recipe(TestRandom& random, int largest);

}  // namespace flatout::data
