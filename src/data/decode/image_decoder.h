// Pixels of picture files, whatever their format. A file is known by its first bytes, not by its
// name, as Pillow knows it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>

#include "base/result.h"
#include "data/decode/image_limits.h"
#include "data/pixels.h"

namespace flatout::data {

struct ImageDecoderOptions {
  std::int64_t max_pixels = kPillowsMostPixels;
  bool exif_orientation = false;  // pictures as ImageOps.exif_transpose turns them
  // With it: a picture that Pillow may turn by what is not looked at here (is_orientation_unclear)
  // is an error, kInvalid.
  bool strict_orientation = false;
  bool fast = false;  // a JPEG file may be decoded at a part of its size
};

struct ImageSize {
  int width = 0;
  int height = 0;
};

// For one thread; keeps its memory from file to file. Pixels and errors are those of Pillow's
// convert("RGB") and convert("L"); each format's decoder.h says more. kInvalid, with what the file
// begins with, where it is of no known format. Messages name the cause; the file's name is the
// caller's to add.
class ImageDecoder {
 public:
  explicit ImageDecoder(ImageDecoderOptions options = {});
  ~ImageDecoder();
  ImageDecoder(ImageDecoder&&) noexcept;
  ImageDecoder& operator=(ImageDecoder&&) noexcept;

  // Reads the headers; the size is that of the picture as it is shown. `file` must stay as it is
  // until the last decode() of it.
  base::Result<ImageSize> open(std::span<const std::byte> file);

  // What the opened file is stored as.
  bool is_jpeg() const;
  bool is_grey_jpeg() const;

  // Whether decode() takes a part of the opened file's size: a JPEG file, and `fast` was asked for.
  bool can_scale() const;
  // How a side of the picture as it is shown is counted: 0 from where the file's pixels begin; else
  // that side's length, because it is counted from their end.
  ImageSize from_end() const;

  // A box of the opened file, in three channels or in one; may be called again for other boxes.
  // Valid until the next call of this object. With `scale_denom` 2, 4 or 8 the box is one of the
  // picture at that part of its size, each side rounded up; kInvalid where it cannot be scaled.
  base::Result<PixelView> decode(const Box& box, int channels = 3, int scale_denom = 1);

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace flatout::data
