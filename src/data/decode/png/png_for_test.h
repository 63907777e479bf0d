// PNG files made by zlib, and the pixels that they hold, for tests and fuzz seeds.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "data/decode/jpeg/jpeg_for_test.h"
#include "data/decode/png/chunks.h"

namespace flatout::data {

struct PngRecipe {
  int width = 16;
  int height = 16;
  int depth = 8;
  PngColour colour = PngColour::kRgb;
  bool interlaced = false;
  int level = 6;          // zlib's; 0: stored
  int strategy = 0;       // zlib's; 4: fixed codes
  int filter = -1;        // of all rows; -1: by turns
  std::size_t piece = 0;  // bytes of an IDAT chunk; 0: one chunk
  int noise = 8;          // 0: one colour, 255: noise in all bits
  std::uint64_t seed = 1;
};

struct PngForTest {
  std::vector<std::byte> file;
  Pixels pixels;  // as convert("RGB") has them
};

PngForTest make_png(const PngRecipe& recipe);

std::string png_chunk(std::string_view name, const std::string& content);
std::string png_header(int width, int height, int depth, PngColour colour, bool interlaced = false);
std::string zlib_data(const std::string& plain, int level = 6, int strategy = 0);
constexpr std::string_view kPngSignature = "\x89PNG\r\n\x1a\n";

}  // namespace flatout::data
