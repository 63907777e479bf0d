#include "data/decode/png/stream.h"

#include <algorithm>
#include <cstring>

#include "data/instruction_set.h"

namespace flatout::data {
namespace {

using base::ErrorCode;
using base::Result;

// What is decompressed at a time stays in the second-level cache.
constexpr std::size_t kReadAhead = 65536;
// A match of 258 bytes takes two bits at least, so no data grow more (RFC 1951).
constexpr std::size_t kMostGrowth = 1032;

std::unexpected<base::Error> cut() {
  return base::fail(ErrorCode::kCorrupt,
                    "PNG: the file ends before the image does: it was cut, or is damaged");
}

std::unexpected<base::Error> damaged(const char* what) {
  return base::fail(ErrorCode::kCorrupt, std::string("PNG: its pixels' data are damaged: ") + what);
}

bool is_zlib_header(const std::uint8_t* bytes) {
  return (bytes[0] & 15) == 8 && bytes[0] >> 4 <= 7 && (bytes[0] << 8 | bytes[1]) % 31 == 0 &&
         (bytes[1] & 0x20) == 0;
}

}  // namespace

const PngKernels& png_kernels() {
#if defined(__x86_64__)
  static const bool has_v3 = runs_v3();
  if (has_v3) return v3::kPngKernels;
#endif
  return baseline::kPngKernels;
}

Result<void> PngStream::open(const PngFile& file, std::size_t longest, std::size_t total,
                             bool with_checksum) {
  if (file.data_bytes < 2 || longest / kMostGrowth > file.data_bytes) return cut();
  std::uint8_t* data = data_.get(file.data_bytes + kInflateReadBeyond);
  data_begin_ = data;
  pieces_ = file.data;
  std::uint8_t* end = data;
  for (const auto& piece : file.data) {
    if (piece.empty()) continue;
    std::memcpy(end, piece.data(), piece.size());
    end += piece.size();
  }
  std::memset(end, 0, kInflateReadBeyond);
  if (!is_zlib_header(data)) return damaged("they do not begin as zlib's do");
  inflate_.next = data + 2;
  inflate_.end = end;
  inflate_.bits = 0;
  inflate_.count = 0;
  inflate_.stage = InflateStage::kBlock;
  inflate_.last_block = false;
  const std::size_t size = kInflateWindow + longest + kReadAhead;
  begin_ = window_.get(size + kInflateWriteBeyond + kPngRowBeyond);
  read_ = out_ = begin_;
  limit_ = begin_ + size;
  left_ = total;
  adler_ = 1;
  with_checksum_ = with_checksum;
  any_ = ended_ = cut_ = false;
  return {};
}

// What no distance reaches any more, and was taken, makes room.
void PngStream::slide() {
  std::uint8_t* keep =
      std::min(read_, out_ - std::min<std::ptrdiff_t>(out_ - begin_, kInflateWindow));
  const std::ptrdiff_t by = keep - begin_;
  if (by == 0) return;
  std::memmove(begin_, keep, static_cast<std::size_t>(out_ - keep));
  read_ -= by;
  out_ -= by;
}

// Whether Pillow has read so far when it has the last row: to the end of a piece, and no more of
// one than 64 KiB at a time (ImageFile.py, MAXBLOCK). It compares no checksum that comes later.
bool PngStream::is_read_with(std::size_t at, std::size_t end) const {
  constexpr std::size_t kRead = 65536;
  std::size_t begin = 0;
  for (const auto& piece : pieces_) {
    if (at < begin + piece.size())
      return end <= std::min(begin + piece.size(), begin + (at - begin) / kRead * kRead + kRead);
    begin += piece.size();
  }
  return false;
}

Result<void> PngStream::check_end() const {
  const std::uint8_t* at = inflate_.place();
  if (!with_checksum_ || inflate_.end - at < 4) return {};
  const auto place = static_cast<std::size_t>(at - data_begin_);
  if (!is_read_with(place - 1, place + 4)) return {};
  const std::uint32_t stored = static_cast<std::uint32_t>(at[0]) << 24 |
                               static_cast<std::uint32_t>(at[1]) << 16 |
                               static_cast<std::uint32_t>(at[2]) << 8 | at[3];
  if (stored != adler_) return damaged("their checksum is wrong");
  return {};
}

// Decompresses until `wanted` bytes more are there, as many as there is room for, or all.
Result<void> PngStream::produce(std::size_t wanted) {
  if (out_ >= limit_ || wanted > static_cast<std::size_t>(limit_ - out_)) slide();
  const std::size_t room = static_cast<std::size_t>(limit_ - out_);
  std::uint8_t* before = out_;
  const std::size_t unread = static_cast<std::size_t>(out_ - read_);
  const std::size_t to_end = std::max(wanted, left_ > unread ? left_ - unread : 0);
  const InflateResult result =
      kernels_.inflate(inflate_, begin_, out_, out_ + std::min(room, to_end));
  if (with_checksum_)
    adler_ = kernels_.adler(adler_, before, static_cast<std::size_t>(out_ - before));
  if (result == InflateResult::kCorrupt) return damaged("they are no compressed data");
  cut_ = result == InflateResult::kTruncated;
  ended_ = result == InflateResult::kEnd;
  if (ended_) return check_end();
  return {};
}

Result<const std::uint8_t*> PngStream::take(std::size_t count) {
  while (static_cast<std::size_t>(out_ - read_) < count) {
    if (ended_ && any_ && out_ == read_) return nullptr;
    if (ended_ || cut_) return cut();
    if (auto done = produce(count - static_cast<std::size_t>(out_ - read_)); !done)
      return std::unexpected(done.error());
  }
  any_ = true;
  left_ -= std::min(left_, count);
  return std::exchange(read_, read_ + count);
}

Result<void> PngStream::finish() {
  if (ended_ || cut_) return {};
  const bool over = out_ == read_;  // else the data have more than the rows
  if (!over) return {};
  slide();
  std::uint8_t* before = out_;
  const InflateResult result = kernels_.inflate(inflate_, begin_, out_, out_ + 1);
  if (out_ != before) return {};
  if (result == InflateResult::kCorrupt) return damaged("they end with nonsense");
  return result == InflateResult::kEnd ? check_end() : Result<void>();
}

}  // namespace flatout::data
