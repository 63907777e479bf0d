// The samples that a box of an image needs, plane by plane, and its pixels made of them.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include "data/decode/jpeg/headers.h"
#include "data/decode/jpeg/kernels.h"
#include "data/decode/scratch_bytes.h"
#include "data/pixels.h"

namespace flatout::data {

inline int divide_up(int value, int by) { return (value + by - 1) / by; }

// A half-open range of whole numbers.
struct Range {
  int begin = 0;
  int end = 0;
  bool has(int i) const { return i >= begin && i < end; }
};

// One component of the image as it is decoded, in its own size or scaled: 1 or 1/2 of its width and
// height, and the part of it that is kept.
struct JpegPlane {
  int side = 8;      // samples that a block gives in a row; fewer where the image is scaled
  int halved_x = 1;  // 2 where it has half the columns
  int halved_y = 1;
  int width = 0;  // in samples, of the whole image (downsampled_width)
  int height = 0;
  Range columns;  // that are kept, in blocks
  Range rows;
  // Of the first kept block; there is room for 32 more samples beside each row.
  std::uint8_t* samples = nullptr;
  std::ptrdiff_t stride = 0;
  // Rows that are kept at a time, less one: a power of two; -1: all of them.
  int row_mask = -1;

  // Row y of the image's plane, indexed by x. The row of a mask's length below overwrites it.
  std::uint8_t* row(int y) const {
    return samples + ((y - side * rows.begin) & row_mask) * stride -
           std::ptrdiff_t{side} * columns.begin;
  }
};

class JpegPlanes {
 public:
  // Two rows of MCUs and what waits above them for its pixels; a power of two.
  static constexpr int kRowsAtOnce = 64;

  // Room for the box's columns and for what upsampling reads beside them. Of the rows all are kept,
  // or the last kRowsAtOnce. The headers are of a file that our decoder takes. `scale_denom` is 1,
  // 2, 4 or 8, and the box one of the image at 1/scale_denom of its size. False where libjpeg
  // upsamples that otherwise than this class does.
  bool open(const JpegHeaders& headers, const Box& box, int scale_denom, bool keep_all_rows);

  const JpegPlane& plane(int component) const {
    return planes_[static_cast<std::size_t>(component)];
  }

  // To be called when the rows of blocks below `end` of a component are decoded, from top to
  // bottom: repeats its samples at the image's left and right edge, which the filter looks beyond.
  void pad(int component, Range block_rows);

  // How many rows of the image, from the top, can be made once all components have this share of
  // `mcu_rows`.
  int rows_ready(int mcu_rows, int rows_per_mcu) const;

  // Row y of the image between the box's columns: interleaved RGB, or one sample a pixel where the
  // file is grey. Writes up to 96 bytes beyond.
  void make_row(const JpegKernels& kernels, int y, std::uint8_t* target);

 private:
  const std::uint8_t* upsampled(const JpegKernels& kernels, int component, int y,
                                std::uint8_t* scratch);

  std::array<JpegPlane, 3> planes_;
  int count_ = 0;
  bool smooth_ = true;  // samples between two are filtered, not repeated
  bool is_rgb_ = false;
  Box box_;
  ScratchBytes memory_;
  ScratchBytes row_memory_;
  std::array<std::uint8_t*, 3> row_scratch_ = {};
  std::uint16_t* sums_ = nullptr;
};

}  // namespace flatout::data
