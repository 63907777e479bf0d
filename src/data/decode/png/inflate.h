// DEFLATE (RFC 1951), piece by piece: as many bytes as are asked for, from a place that is kept.
// Compiled once an instruction set (kernels.h has those for this machine).
#pragma once

#include <cstddef>
#include <cstdint>

namespace flatout::data {

// What can follow in the data; kStored and kCodes are within a block.
enum class InflateStage : std::uint8_t { kBlock, kStored, kCodes, kEnd };

// The next kLengthLookBits or kDistanceLookBits bits give an entry, or where the table of longer
// codes with this beginning lies. A tree of depth d has d + 1 codes or more, and its table 2^d
// entries: 288 codes of at most 15 bits need less than 288 / 5 tables of 16, 32 need 4 of 128.
constexpr int kLengthLookBits = 11;
constexpr int kDistanceLookBits = 8;
constexpr int kLengthEntries = (1 << kLengthLookBits) + 1024;
constexpr int kDistanceEntries = (1 << kDistanceLookBits) + 512;

constexpr std::size_t kInflateWindow = 32768;  // how far back a distance may reach
// Bytes behind the data that must be readable, and behind the room that may be written.
constexpr std::size_t kInflateReadBeyond = 32;
constexpr std::size_t kInflateWriteBeyond = 320;

struct Inflate {
  // Data: from `next` to `end`; `count` bits of `bits`, the lowest first, come before them. The
  // place may lie behind `end` by bits that were looked at and not used.
  const std::uint8_t* next = nullptr;
  const std::uint8_t* end = nullptr;
  std::uint64_t bits = 0;
  int count = 0;

  InflateStage stage = InflateStage::kBlock;
  bool last_block = false;
  std::uint32_t stored_left = 0;

  std::uint32_t lengths[kLengthEntries] = {};
  std::uint32_t distances[kDistanceEntries] = {};

  // Where the unread data begin. Only at kEnd: behind it no bit of the current byte counts.
  const std::uint8_t* place() const { return next - count / 8; }
};

enum class InflateResult : std::uint8_t {
  kMore,       // `stop` is reached, or passed by less than kInflateWriteBeyond
  kEnd,        // the last block is over
  kTruncated,  // the data end before the last block does
  kCorrupt,    // no DEFLATE data, by the rules of zlib
};

}  // namespace flatout::data
