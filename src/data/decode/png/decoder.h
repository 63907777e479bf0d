// Pixels of PNG files, and of boxes in them: what Pillow shows after convert("RGB"), bit for bit.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>

#include "base/result.h"
#include "data/decode/image_limits.h"
#include "data/decode/png/chunks.h"
#include "data/decode/png/kernels.h"
#include "data/pixels.h"

namespace flatout::data {

struct PngInfo {
  int width = 0;
  int height = 0;
  int orientation = 1;  // EXIF 1..8
};

// For one thread; keeps its memory from file to file. Memory follows the boxes that are asked for,
// the length of a row and the size of the file.
//
// All colours, depths and interlacing of the standard. As Pillow has it: transparency is left out,
// grey of 16 bits above 255 is 255, other 16-bit channels lose their lower byte, gamma and colour
// profiles are not looked at. Errors are those of Pillow with LOAD_TRUNCATED_IMAGES off:
//   kCorrupt   damaged, or cut before the last row of the box
//   kTooLarge  more pixels than the limit
//   kInvalid   not in the standard; a box that is empty or not within the image; no open file
// A box that ends above the last row is decoded no further: what is damaged below is not seen.
class PngDecoder {
 public:
  explicit PngDecoder(std::int64_t max_pixels = kPillowsMostPixels,
                      const PngKernels& kernels = png_kernels());
  ~PngDecoder();
  PngDecoder(PngDecoder&&) noexcept;
  PngDecoder& operator=(PngDecoder&&) noexcept;

  // Reads the headers. `file` must stay as it is until the last
  // decode() of it.
  base::Result<PngInfo> open(std::span<const std::byte> file);

  // RGB of a box of the opened file; may be called again for other boxes. Valid until the next call
  // of this object.
  base::Result<PixelView> decode(const Box& box);

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace flatout::data
