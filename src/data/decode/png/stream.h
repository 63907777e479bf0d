// The rows of a PNG file as they were compressed: zlib's data (RFC 1950) over all its pieces, row
// by row, in memory that follows the length of a row.
#pragma once

#include <cstddef>
#include <cstdint>

#include "base/result.h"
#include "data/decode/png/chunks.h"
#include "data/decode/png/kernels.h"
#include "data/decode/scratch_bytes.h"

namespace flatout::data {

// For one thread; keeps its memory from file to file.
class PngStream {
 public:
  explicit PngStream(const PngKernels& kernels) : kernels_(kernels) {}

  // Begins anew; `file` stays as it is until the last take(). At most `longest` bytes are taken at
  // a time, `total` in all. Whether the checksum is compared at the end is for those to say who
  // take all. kCorrupt: no zlib data, or so few that not even the first row can be in them.
  base::Result<void> open(const PngFile& file, std::size_t longest, std::size_t total,
                          bool with_checksum);

  // The next `count` bytes; kPngRowBeyond more may be read. Valid until the next call. Null where
  // the data are over between two rows, which Pillow takes for black rows.
  // kCorrupt: damaged data, or too few.
  base::Result<const std::uint8_t*> take(std::size_t count);

  // After the last row: kCorrupt where the data go on with nonsense, or their checksum is wrong.
  base::Result<void> finish();

 private:
  base::Result<void> produce(std::size_t wanted);
  base::Result<void> check_end() const;
  bool is_read_with(std::size_t at, std::size_t end) const;
  void slide();

  const PngKernels& kernels_;
  Inflate inflate_;
  std::span<const std::span<const std::byte>> pieces_;
  ScratchBytes data_;
  const std::uint8_t* data_begin_ = nullptr;
  ScratchBytes window_;
  std::uint8_t* begin_ = nullptr;  // of the window
  std::uint8_t* read_ = nullptr;   // what was taken ends here
  std::uint8_t* out_ = nullptr;    // what was decompressed ends here
  std::uint8_t* limit_ = nullptr;
  std::size_t left_ = 0;  // of the total
  std::uint32_t adler_ = 1;
  bool with_checksum_ = false;
  bool any_ = false;  // was taken
  bool ended_ = false;
  bool cut_ = false;
};

}  // namespace flatout::data
