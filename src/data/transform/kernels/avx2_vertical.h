// The vertical loop for AVX2. Only kernels.cc includes this.
#pragma once

#include "data/transform/kernels/avx2_horizontal.h"

namespace flatout::data::transform {
namespace FLATOUT_ISA {
namespace {

// Sums of 32 bytes of the rows. Names say where in each half of a vector the bytes lie.
struct ColumnSums {
  Ints bytes_0_to_3, bytes_4_to_7, bytes_8_to_11, bytes_12_to_15;
};

HWY_INLINE ColumnSums same_everywhere(std::int32_t value) {
  const Ints all = hn::Set(kInts, value);
  return {all, all, all, all};
}

struct PixelPairs {
  Bytes bytes_0_to_3, bytes_4_to_7, bytes_8_to_11, bytes_12_to_15;
};

// Bytes of two rows as 16-bit pairs.
HWY_INLINE PixelPairs pairs_of(const std::uint8_t* first, const std::uint8_t* second) {
  const Bytes a = hn::LoadU(kBytes, first);
  const Bytes b = hn::LoadU(kBytes, second);
  const Bytes zero = hn::Zero(kBytes);
  const Bytes lower = hn::InterleaveLower(a, b);
  const Bytes upper = hn::InterleaveUpper(kBytes, a, b);
  return {hn::InterleaveLower(lower, zero), hn::InterleaveUpper(kBytes, lower, zero),
          hn::InterleaveLower(upper, zero), hn::InterleaveUpper(kBytes, upper, zero)};
}

HWY_INLINE void add_products(ColumnSums& sums, const PixelPairs& pixels, std::int32_t weights) {
  const auto both = hn::BitCast(kShorts, hn::Set(kInts, weights));
  sums.bytes_0_to_3 = add_pair_products(sums.bytes_0_to_3, pixels.bytes_0_to_3, both);
  sums.bytes_4_to_7 = add_pair_products(sums.bytes_4_to_7, pixels.bytes_4_to_7, both);
  sums.bytes_8_to_11 = add_pair_products(sums.bytes_8_to_11, pixels.bytes_8_to_11, both);
  sums.bytes_12_to_15 = add_pair_products(sums.bytes_12_to_15, pixels.bytes_12_to_15, both);
}

inline void avx2_vertical(const Column& column, const std::uint8_t* const* rows, int bytes,
                          std::uint8_t* out) {
  for (int x = 0; x < bytes; x += kRowPadding) {
    ColumnSums high = same_everywhere(0);
    ColumnSums low = same_everywhere(kWholeWeight / 2);
    const std::int32_t* weights = column.pairs;
    for (int row = 0; row < column.count; row += 2, weights += 2) {
      // Where the last pair lacks a row, its weight is 0.
      const std::uint8_t* second = row + 1 < column.count ? rows[row + 1] : rows[row];
      const PixelPairs pixels = pairs_of(rows[row] + x, second + x);
      add_products(high, pixels, weights[0]);
      add_products(low, pixels, weights[1]);
    }
    const Bytes result = cut_to_bytes(join_parts(high.bytes_0_to_3, low.bytes_0_to_3),
                                      join_parts(high.bytes_4_to_7, low.bytes_4_to_7),
                                      join_parts(high.bytes_8_to_11, low.bytes_8_to_11),
                                      join_parts(high.bytes_12_to_15, low.bytes_12_to_15));
    hn::StoreU(result, kBytes, out + x);
  }
}

}  // namespace
}  // namespace FLATOUT_ISA
}  // namespace flatout::data::transform
