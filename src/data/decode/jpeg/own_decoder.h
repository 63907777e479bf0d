// Our own decoder, for the JPEG files that data sets consist of: sequential DCT with Huffman codes,
// 8 bits, grey or three components, chroma halved in either direction or not. Whatever it refuses,
// before or in the middle of a file, is libjpeg-turbo's.
#pragma once

#include <array>
#include <cstddef>
#include <memory>
#include <optional>
#include <span>

#include "data/decode/jpeg/bytes.h"
#include "data/decode/jpeg/headers.h"
#include "data/decode/jpeg/kernels.h"
#include "data/decode/jpeg/planes.h"
#include "data/decode/scratch_bytes.h"
#include "data/pixels.h"

namespace flatout::data {

// Whether this decoder takes a file whose headers, up to the first scan, are these.
bool own_jpeg_takes(const JpegHeaders& headers);

// For one thread; keeps its memory and its Huffman tables from file to file.
class OwnJpeg {
 public:
  OwnJpeg();
  // With those of one instruction set, for tests.
  explicit OwnJpeg(const JpegKernels& kernels);

  // The pixels of a box of `file`, whose first scan's headers own_jpeg_takes(): three channels, or
  // one for a grey file. Nothing where the data are damaged, end early, or are more than this
  // decoder takes. `box` must lie within the image at 1/scale_denom of its size: 1, 2, 4 or 8.
  // Valid until the next call.
  std::optional<PixelView> decode(std::span<const std::byte> file, const JpegHeaders& headers,
                                  const Box& box, int scale_denom = 1);

 private:
  // A scan's MCUs; see T.81, A.2.
  struct Layout {
    int columns = 0;  // MCUs a row
    int first_row = 0;
    int end_row = 0;     // of the rows that the box needs
    int row_height = 0;  // of a row of MCUs, in rows of the image
  };

  bool decode_scan(const JpegHeaders& headers);
  bool set_tables(const JpegHeaders& headers);
  Layout lay_out(const JpegHeaders& headers);
  bool decode_rows(const JpegHeaders& headers, const Layout& layout, bool convert);
  bool skip_intervals(const JpegHeaders& headers, const Layout& layout);
  bool decode_mcus(int begin, int end);
  bool restart();
  void aim(int row);
  void make_rows(int end);

  // Which block of an MCU a task is.
  struct Aim {
    int component = 0;
    int row = 0;  // among those of its component in the MCU
    int rows_per_mcu = 1;
  };

  struct Tables {
    HuffmanSpec dc_spec;
    HuffmanSpec ac_spec;
    bool dc_good = false;
    bool ac_good = false;
    DcTable dc;
    AcTable ac;
    SkipTable skip;
  };

  const JpegKernels& kernels_;
  std::unique_ptr<std::array<Tables, kJpegTables>> tables_;
  std::unique_ptr<CoefficientPair> pair_;
  std::array<BlockQuant, kJpegMaxComponents> quants_ = {};
  std::array<std::int32_t, kJpegMaxComponents> predictors_ = {};
  std::array<BlockTask, kMaxBlocksOfMcu> tasks_ = {};
  std::array<Aim, kMaxBlocksOfMcu> aims_ = {};
  int task_count_ = 0;

  std::span<const std::byte> file_;
  CodedBytes bytes_;
  BitPlace place_;
  int interval_left_ = 0;  // MCUs to the next restart marker
  int interval_ = 0;
  int restarts_ = 0;

  Box box_;
  int scale_denom_ = 1;
  JpegPlanes planes_;
  ScratchBytes pixels_;
  PixelView view_;
  int rows_made_ = 0;  // of the box
};

}  // namespace flatout::data
