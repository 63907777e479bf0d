// libjpeg-turbo, for every JPEG file that our own decoder does not take, and for damaged ones, of
// which only its own opinion counts. It is held to what Pillow makes of a file: warnings are no
// errors, an end before the end marker is.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "base/result.h"
#include "data/decode/scratch_bytes.h"
#include "data/pixels.h"

namespace flatout::data {

struct TurboInfo {
  int width = 0;
  int height = 0;
  int components = 0;
  int orientation = 1;  // EXIF
};

// For one thread. Decodes from the first row to the box's last one, and keeps the box.
class TurboJpeg {
 public:
  // What the headers say. kCorrupt where libjpeg finds an error in them, kInvalid where there are
  // two components, or more than four.
  base::Result<TurboInfo> open(std::span<const std::byte> file);

  // The box's pixels as RGB, or as one channel for a grey file; CMYK as Pillow converts it.
  // kCorrupt as above, kTooLarge where a file needs memory or work out of proportion to its size,
  // or more scans than any real one has. `box` must lie within the image at 1/scale_denom of its
  // size: 1, 2, 4 or 8. Valid until the next call.
  base::Result<PixelView> decode(std::span<const std::byte> file, const Box& box,
                                 int scale_denom = 1);

  // Blocks that the last decode() visited in files of several scans: its work, for tests.
  std::int64_t visits() const { return visits_; }

 private:
  std::int64_t visits_ = 0;
  ScratchBytes pixels_;
  ScratchBytes row_;
};

}  // namespace flatout::data
