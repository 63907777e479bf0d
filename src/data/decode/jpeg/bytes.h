// The coded bytes of a scan as the bit reader wants them: without the zeros that are stuffed behind
// each 0xFF, piece by piece, and with so much room behind them that an MCU can be read without
// looking for the end.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>

#include "data/decode/jpeg/kernels.h"

namespace flatout::data {

class CodedBytes {
 public:
  CodedBytes();

  // Begins at offset `at` of the file, behind a scan's header or a restart marker; gives the place
  // to read from.
  BitPlace begin(std::span<const std::byte> file, std::size_t at);

  // Whether more can be had by fill(). Where not, what follows the bytes in the buffer is a marker
  // or the end of the file.
  bool has_more() const { return !at_end_; }
  // Replaces what was read; `place` points to the same bits afterwards.
  void fill(BitPlace& place);

  // An MCU that begins here or before can be read as a whole without harm.
  const std::uint8_t* last_begin() const;
  // Whether `place` used bits after the last one.
  bool is_beyond(const BitPlace& place) const;

  // From what was taken from the file so far to the next marker; offset of its 0xFF, or the file's
  // size.
  std::size_t find_marker() const;

 private:
  void take();
  std::size_t unstuff(std::uint8_t* target, std::size_t room);

  std::span<const std::byte> file_;
  std::size_t at_ = 0;
  std::unique_ptr<std::uint8_t[]> buffer_;
  std::uint8_t* end_ = nullptr;  // of the bytes in the buffer
  bool at_end_ = false;
};

// Offset of the 0xFF of the first marker at or after `at` that is no stuffing, or the file's size.
std::size_t find_jpeg_marker(std::span<const std::byte> file, std::size_t at);

}  // namespace flatout::data
