// Pixels of JPEG files, and of boxes in them: what Pillow shows after convert("RGB"), bit for bit,
// with no more work than the box needs.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>

#include "base/result.h"
#include "data/decode/image_limits.h"
#include "data/pixels.h"

namespace flatout::data {

struct JpegInfo {
  int width = 0;
  int height = 0;
  int components = 0;   // 1: grey, 3: colour, 4: CMYK
  int orientation = 1;  // EXIF 1..8, 1 where none; told, not applied
  bool own = false;     // our decoder will try it; libjpeg-turbo takes all others
};

struct JpegLimits {
  std::int64_t max_pixels = kPillowsMostPixels;
};

enum class JpegColour {
  kRgb,   // grey is replicated
  kGrey,  // colours as Pillow's convert("L") has it: ITU-R 601-2 luma of the RGB pixels
};

// For one thread; keeps its memory from file to file. Memory follows the boxes that are asked for;
// for progressive files, whose coefficients must be kept, the size of the file (TurboJpeg).
//
// Equal to libjpeg-turbo's full decode with its default settings (accurate integer DCT, fancy
// upsampling). Errors are those of Pillow with LOAD_TRUNCATED_IMAGES off:
//   kCorrupt   no JPEG file, an error in it, or no end marker behind its pixels (a cut file),
//   whatever box is asked for kTooLarge  more pixels than the limit or than its bytes
//   can hold, or a progressive file that needs memory or work out of proportion kInvalid   a box
//   that is empty or not within the image; decode() without open(); two components
// What libjpeg only warns of is accepted, with the pixels that libjpeg gives. What is damaged below
// the box is not seen. Messages name the cause; the file's name is the caller's to add.
class JpegDecoder {
 public:
  explicit JpegDecoder(JpegLimits limits = {});
  ~JpegDecoder();
  JpegDecoder(JpegDecoder&&) noexcept;
  JpegDecoder& operator=(JpegDecoder&&) noexcept;

  // Reads the headers. `file` must stay as it is until the last decode() of it.
  base::Result<JpegInfo> open(std::span<const std::byte> file);

  // Pixels of a box of the opened file; may be called again for other boxes. Valid until the next
  // call of this object. With `scale_denom` 2, 4 or 8 the box is one of the image at that part of
  // its size, rounded up: libjpeg-turbo's scaled decode, bit for bit, whose luma is the mean of
  // scale_denom x scale_denom samples before they are held to 0..255. kInvalid for any other.
  base::Result<PixelView> decode(const Box& box, JpegColour colour = JpegColour::kRgb,
                                 int scale_denom = 1);

  // Whether our own decoder made the pixels of the last decode().
  bool was_own() const;

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace flatout::data
