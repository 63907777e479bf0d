// The looked-up tables against decoding bit by bit, for codes of every shape.
#include "data/decode/jpeg/tables.h"

#include <gtest/gtest.h>

#include <memory>
#include <vector>

#include "data/decode/jpeg/headers.h"
#include "data/decode/jpeg/jpeg_for_test.h"

namespace flatout::data {
namespace {

// A prefix code of random lengths over AC symbols, with room for the code of ones.
HuffmanSpec random_spec(TestRandom& random) {
  HuffmanSpec spec = {.present = true};
  int space = 1;  // codes that are left at this length
  for (std::size_t bits = 1; bits <= 16; ++bits) {
    space *= 2;
    const int most = bits == 16 ? space - 1 : space * 2 / 3;
    const int count = most <= 0 ? 0 : random.below(std::min(most, 30) + 1);
    if (spec.symbol_count + count > 160) break;
    spec.counts[bits - 1] = static_cast<std::uint8_t>(count);
    for (int i = 0; i < count; ++i) {
      spec.symbols[static_cast<std::size_t>(spec.symbol_count++)] =
          static_cast<std::uint8_t>(random.below(16) << 4 | random.below(kMaxAcSize + 1));
    }
    space -= count;
  }
  return spec;
}

struct Decoded {
  int bits = 0;  // 0: no code within the window
  int run = 0;
  int size = 0;
};

// T.81, F.2.2.3, on the upper bits of a 32-bit window.
Decoded decode(const HuffmanSpec& spec, std::uint32_t window, int most_bits) {
  std::uint32_t code = 0;
  std::size_t first = 0;
  for (int bits = 1; bits <= most_bits && bits <= 16; ++bits) {
    const std::uint32_t count = spec.counts[static_cast<std::size_t>(bits - 1)];
    const std::uint32_t got = window >> (32 - bits);
    if (got < code + count) {
      const int symbol = spec.symbols[first + got - code];
      return {bits, symbol >> 4, symbol & 15};
    }
    code = (code + count) << 1;
    first += count;
  }
  return {};
}

int value_of(std::uint32_t window, const Decoded& d) {
  if (d.size == 0) return 0;
  const auto bits = static_cast<int>(window << d.bits >> (32 - d.size));
  return bits < 1 << (d.size - 1) ? bits - (1 << d.size) + 1 : bits;
}

int advance_of(const Decoded& d) { return d.size == 0 && d.run != 15 ? kEndOfBlock : d.run + 1; }

TEST(JpegTables, AcLooksGiveWhatTheCodeSays) {
  TestRandom random(1);
  const auto table = std::make_unique<AcTable>();
  int pairs = 0;
  for (int i = 0; i < 40; ++i) {
    const HuffmanSpec spec = random_spec(random);
    ASSERT_TRUE(build_ac_table(spec, *table));
    for (int k = 0; k < 500; ++k) {
      const auto window = static_cast<std::uint32_t>(random.next());
      const AcLook look = table->looks[window >> (32 - kAcLookBits)];
      const Decoded first = decode(spec, window, kAcLookBits);
      if (look.length == 0) {
        ASSERT_TRUE(first.bits == 0 || (first.bits == kAcLookBits && first.size > 0));
        continue;
      }
      ASSERT_GT(first.bits, 0);
      const auto value =
          static_cast<std::int16_t>((std::uint64_t{window} << 32 >> look.shift) + look.first_base);
      ASSERT_EQ(value, value_of(window, first));
      int length = first.bits + first.size;
      ASSERT_EQ(look.first_place, first.size == 0 ? 0 : first.run);
      if (look.length == length) {
        ASSERT_EQ(look.advance, advance_of(first));
        ASSERT_EQ(look.second, 0);
        continue;
      }
      ++pairs;
      const Decoded second = decode(spec, window << length, kAcLookBits - length);
      ASSERT_GT(second.bits, 0);
      ASSERT_EQ(look.length, length + second.bits + second.size);
      ASSERT_EQ(look.advance, advance_of(first) + advance_of(second));
      ASSERT_EQ(look.second, value_of(window << length, second));
    }
  }
  EXPECT_GT(pairs, 1000);
}

TEST(JpegTables, SkipLooksCountTheSame) {
  TestRandom random(2);
  const auto table = std::make_unique<SkipTable>();
  for (int i = 0; i < 40; ++i) {
    const HuffmanSpec spec = random_spec(random);
    build_skip_table(spec, *table);
    for (int k = 0; k < 500; ++k) {
      const auto window = static_cast<std::uint32_t>(random.next());
      const SkipLook look = table->looks[window >> (32 - kSkipLookBits)];
      int length = 0;
      int advance = 0;
      while (length < look.length) {
        const Decoded symbol = decode(spec, window << length, kSkipLookBits - length);
        ASSERT_GT(symbol.bits, 0);
        length += symbol.bits + symbol.size;
        advance += advance_of(symbol);
      }
      ASSERT_EQ(length, look.length);
      ASSERT_EQ(advance, look.advance);
    }
  }
}

TEST(JpegTables, WhatIsNoPrefixCodeIsRefused) {
  const auto table = std::make_unique<AcTable>();
  EXPECT_FALSE(build_ac_table({}, *table));  // was never defined
  HuffmanSpec full = {.present = true};
  full.counts[0] = 2;  // 0 and 1: the code of ones must stay free
  full.symbol_count = 2;
  EXPECT_FALSE(build_ac_table(full, *table));
  full.counts[0] = 1;
  full.symbol_count = 1;
  EXPECT_TRUE(build_ac_table(full, *table));
  full.symbols[0] = 0x0B;  // a value of eleven bits
  EXPECT_FALSE(build_ac_table(full, *table));
  const auto dc = std::make_unique<DcTable>();
  EXPECT_TRUE(build_dc_table(full, *dc));
  full.symbols[0] = 12;
  EXPECT_FALSE(build_dc_table(full, *dc));
}

}  // namespace
}  // namespace flatout::data
