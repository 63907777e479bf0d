// The parts of a PNG file: what its header says, and where its pixels' data lie. Strict where
// Pillow (PngImagePlugin.py) is, and where it is not, not.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "base/result.h"

namespace flatout::data {

enum class PngColour : std::uint8_t {
  kGrey = 0,
  kRgb = 2,
  kPalette = 3,
  kGreyAlpha = 4,
  kRgbAlpha = 6
};

struct PngHeader {
  int width = 0;  // 1 or more; their product is not bounded here
  int height = 0;
  int depth = 8;  // bits a channel, one that the colour may have
  PngColour colour = PngColour::kRgb;
  bool interlaced = false;
  int orientation = 1;                                        // EXIF 1..8, of an eXIf chunk
  std::array<std::array<std::uint8_t, 3>, 256> palette = {};  // black where the file has no entry

  int bits_per_pixel() const;
};

struct PngFile {
  PngHeader header;
  std::vector<std::span<const std::byte>> data;  // zlib's, in pieces; not empty
  std::size_t data_bytes = 0;
};

// Whether `file` begins as a PNG file does.
bool is_png(std::span<const std::byte> file);

// kCorrupt: no PNG file, a checksum that is wrong before the pixels, a chunk that is too short or
// ends behind the file; kInvalid: sizes, colours and depths that the standard does not have, an
// animation whose first picture is not the whole. The data may be cut: that shows when they are
// decoded. Parts of `file` are kept.
base::Result<PngFile> read_png(std::span<const std::byte> file);

}  // namespace flatout::data
