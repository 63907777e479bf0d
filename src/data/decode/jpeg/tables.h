// Huffman codes as tables that are looked up by the next bits of the data. One look at an AC table
// gives up to two coefficients with their values and places, because most codes and their values
// are short.
#pragma once

#include <cstdint>

namespace flatout::data {

struct HuffmanSpec;

// Row * 8 + column of each place of a block (T.81, figure A.6).
constexpr std::uint8_t kZigzag[64] = {
    0,  1,  8,  16, 9,  2,  3,  10, 17, 24, 32, 25, 18, 11, 4,  5,  12, 19, 26, 33, 40, 48,
    41, 34, 27, 20, 13, 6,  7,  14, 21, 28, 35, 42, 49, 56, 57, 50, 43, 36, 29, 22, 15, 23,
    30, 37, 44, 51, 58, 59, 52, 45, 38, 31, 39, 46, 53, 60, 61, 54, 47, 55, 62, 63};

constexpr int kDcLookBits = 9;
constexpr int kAcLookBits = 10;
constexpr int kMaxDcSize = 11;  // bits of a DC difference, 8-bit samples (T.81, table F.1)
constexpr int kMaxAcSize = 10;  // bits of an AC coefficient (T.81, table F.2)

// A code of any length, symbol by symbol (T.81, F.2.2.3). Codes are compared left-aligned in 16
// bits.
struct SlowCodes {
  std::uint32_t limit[17] = {};  // [n]: first 16-bit value above all codes of n bits or fewer
  std::int32_t offset[17] = {};  // [n]: add the code to get the index of its symbol
  std::uint8_t symbols[256] = {};
};

struct DcTable {
  // Bits 0..5: bits of code and difference, 0: the code is too long for this table. Bits 6..9:
  // those of the difference alone. Bits 10..15: those of the code.
  std::uint16_t looks[1 << kDcLookBits] = {};
  SlowCodes slow;
};

// A block's end is an advance of this many, so that whoever counts to 64 stops; what is above it
// says where it was.
constexpr int kEndOfBlock = 128;

// What a look at an AC table says: one symbol, whose value may lie beyond the look, or two that lie
// within it whole.
struct AcLook {
  std::uint8_t length = 0;  // bits of all that this entry decodes; 0: the next code, or its value's
                            // sign, is beyond the look
  std::uint8_t advance = 0;      // of the place in the block, plus kEndOfBlock where the block ends
  std::uint8_t shift = 0;        // that brings the first value's last bit to the lowest one
  std::uint8_t first_place = 0;  // where the first value goes, counted from the place before
  // The first value is this plus the bits shifted so, modulo 2^16: code and sign are accounted for.
  std::uint16_t first_base = 0;
  // The second value goes just before the place that `advance` leads to. Where there is none it is
  // a zero: to be stored before the first, which may overwrite it.
  std::int16_t second = 0;
};
// No entry decodes more bits.
constexpr int kMostLookBits = kAcLookBits + kMaxAcSize;

struct AcTable {
  AcLook looks[1 << kAcLookBits] = {};
  SlowCodes slow;
};

// The same codes for blocks that are only passed over: as many symbols as begin within the look.
struct SkipLook {
  std::uint8_t length = 0;
  std::uint8_t advance = 0;
};
constexpr int kSkipLookBits = 12;
constexpr int kMostSkipBits = kSkipLookBits + kMaxAcSize;

struct SkipTable {
  SkipLook looks[1 << kSkipLookBits] = {};
};

// False where the code is none that libjpeg takes (jpeg_make_d_derived_tbl), or has symbols that
// 8-bit samples do not need.
bool build_dc_table(const HuffmanSpec& spec, DcTable& table);
bool build_ac_table(const HuffmanSpec& spec, AcTable& table);
// For codes that build_ac_table() takes.
void build_skip_table(const HuffmanSpec& spec, SkipTable& table);

}  // namespace flatout::data
