// Pixels of WebP files, and of boxes in them: what Pillow shows after convert("RGB"), bit for bit.
// Decoding is libwebp's.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "base/result.h"
#include "data/decode/image_limits.h"
#include "data/decode/scratch_bytes.h"
#include "data/pixels.h"

namespace flatout::data {

struct WebpInfo {
  int width = 0;
  int height = 0;
  bool lossless = false;
  int orientation = 1;  // EXIF 1..8
};

// Whether `file` begins as a WebP file does.
bool is_webp(std::span<const std::byte> file);

// For one thread. Lossy and lossless pictures; transparency is left out. Memory follows the box and
// the width; that of lossless pictures, of which libwebp keeps the whole, their size.
//   kCorrupt   damaged, or cut
//   kTooLarge  more pixels than the limit, or a lossless picture whose memory is out of proportion
//   kInvalid   an animation; a box that is empty or not within the image; no open file
class WebpDecoder {
 public:
  explicit WebpDecoder(std::int64_t max_pixels = kPillowsMostPixels) : max_pixels_(max_pixels) {}

  // Reads the headers. `file` must stay as it is until the last decode() of it.
  base::Result<WebpInfo> open(std::span<const std::byte> file);

  // RGB of a box of the opened file; may be called again for other boxes. Valid until the next call
  // of this object.
  base::Result<PixelView> decode(const Box& box);

 private:
  std::int64_t max_pixels_;
  std::span<const std::byte> file_;
  WebpInfo info_;
  ScratchBytes pixels_;
};

}  // namespace flatout::data
