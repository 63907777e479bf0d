// The horizontal loop over interleaved red, green and blue for AVX2. Only kernels.cc includes this.
#pragma once

#include <hwy/highway.h>

#include <cstring>

#include "data/transform/kernels/kernels.h"
#include "data/transform/kernels/plain_kernels.h"

namespace flatout::data::transform {
namespace FLATOUT_ISA {
namespace {

namespace hn = hwy::HWY_NAMESPACE;

constexpr hn::Full256<std::uint8_t> kBytes;
constexpr hn::Full256<std::int16_t> kShorts;
constexpr hn::Full256<std::int32_t> kInts;
using Bytes = hn::Vec<decltype(kBytes)>;
using Ints = hn::Vec<decltype(kInts)>;

// Adds the products of neighbouring 16-bit numbers to 32-bit sums (vpmaddwd).
HWY_INLINE Ints add_pair_products(Ints sums, Bytes pixels, hn::Vec<decltype(kShorts)> weights) {
  Ints unused = sums;
  return hn::ReorderWidenMulAccumulate(kInts, hn::BitCast(kShorts, pixels), weights, sums, unused);
}

// Sums of the weights' high and low parts to pixels that are rounded but not yet cut to 8 bits.
HWY_INLINE Ints join_parts(Ints high, Ints low) {
  return hn::ShiftRight<kWeightBits>(hn::Add(hn::ShiftLeft<kLowBits>(high), low));
}

// Cuts 32-bit numbers to 8 bits. Within each half of the vector: four of a, of b, of c, of d.
HWY_INLINE Bytes cut_to_bytes(Ints a, Ints b, Ints c, Ints d) {
  const auto front = hn::ReorderDemote2To(kShorts, a, b);
  const auto back = hn::ReorderDemote2To(kShorts, c, d);
  return Bytes{_mm256_packus_epi16(front.raw, back.raw)};
}

// 0x80 makes a zero. Of five pixels in 16 bytes: taps 0 and 1, or 2 and 3, as 16-bit pairs of each
// channel.
alignas(32) constexpr std::uint8_t kPair01[16] = {0, 0x80, 3, 0x80, 1,    0x80, 4,    0x80,
                                                  2, 0x80, 5, 0x80, 0x80, 0x80, 0x80, 0x80};
alignas(32) constexpr std::uint8_t kPair23[16] = {6, 0x80, 9,  0x80, 7,    0x80, 10,   0x80,
                                                  8, 0x80, 11, 0x80, 0x80, 0x80, 0x80, 0x80};
// Four pixels of four channels, the last one unused, to four values of each channel.
alignas(32) constexpr std::uint8_t kPlanar[16] = {0, 4, 8,  12, 1, 5, 9,  13,
                                                  2, 6, 10, 14, 3, 7, 11, 15};
alignas(32) constexpr std::int32_t kJoinHalves[8] = {0, 4, 1, 5, 2, 6, 3, 7};

constexpr int kPairStep = 4 * 2 * 16;  // 16-bit numbers from a pair of taps to the next one

// Two pixels of the result: red, green, blue and nothing of each.
HWY_INLINE Ints two_pixels(const std::uint8_t* first, const std::uint8_t* second,
                           const std::int16_t* weights, int pairs) {
  constexpr hn::Full128<std::uint8_t> kHalf;
  const Bytes pair01 = hn::LoadDup128(kBytes, kPair01);
  const Bytes pair23 = hn::LoadDup128(kBytes, kPair23);
  Ints high = hn::Zero(kInts);
  Ints low = hn::Set(kInts, kWholeWeight / 2);
  for (; pairs > 0; pairs -= 2) {
    const Bytes pixels = hn::Combine(kBytes, hn::LoadU(kHalf, second), hn::LoadU(kHalf, first));
    const Bytes a = hn::TableLookupBytes(pixels, pair01);
    high = add_pair_products(high, a, hn::Load(kShorts, weights));
    low = add_pair_products(low, a, hn::Load(kShorts, weights + 16));
    if (pairs == 1) break;
    const Bytes b = hn::TableLookupBytes(pixels, pair23);
    high = add_pair_products(high, b, hn::Load(kShorts, weights + kPairStep));
    low = add_pair_products(low, b, hn::Load(kShorts, weights + kPairStep + 16));
    weights += std::ptrdiff_t{2} * kPairStep;
    first += 12;
    second += 12;
  }
  return join_parts(high, low);
}

HWY_INLINE void rgb_block(const std::uint8_t* row, const std::int32_t* starts,
                          const std::int16_t* weights, int pairs, std::uint8_t* out,
                          std::ptrdiff_t plane) {
  const auto at = [&](int pixel) { return row + std::ptrdiff_t{starts[pixel]} * 3; };
  const Ints a = two_pixels(at(0), at(4), weights, pairs);
  const Ints b = two_pixels(at(1), at(5), weights + 32, pairs);
  const Ints c = two_pixels(at(2), at(6), weights + 64, pairs);
  const Ints d = two_pixels(at(3), at(7), weights + 96, pairs);
  const Bytes planar =
      hn::TableLookupBytes(cut_to_bytes(a, b, c, d), hn::LoadDup128(kBytes, kPlanar));
  // SetTableIndices would check them, and for that want Highway's library.
  const hn::Indices256<std::int32_t> order{hn::Load(kInts, kJoinHalves).raw};
  const Bytes joined = hn::BitCast(kBytes, hn::TableLookupLanes(hn::BitCast(kInts, planar), order));
  constexpr hn::Full128<std::uint8_t> kHalf;
  constexpr hn::Full64<std::uint8_t> kQuarter;
  const auto red_green = hn::LowerHalf(kHalf, joined);
  hn::StoreU(hn::LowerHalf(kQuarter, red_green), kQuarter, out);
  hn::StoreU(hn::UpperHalf(kQuarter, red_green), kQuarter, out + plane);
  hn::StoreU(hn::LowerHalf(kQuarter, hn::UpperHalf(kHalf, joined)), kQuarter, out + 2 * plane);
}

template <int kPairs>
HWY_INLINE void rgb_blocks(const Line& line, const std::uint8_t* row, int from, int to,
                           std::uint8_t* out, std::ptrdiff_t plane) {
  const int pairs = kPairs > 0 ? kPairs : line.pairs;
  for (int block = from; block < to; ++block) {
    rgb_block(row, line.starts + std::ptrdiff_t{block} * kBlockPixels,
              line.pair_weights + std::ptrdiff_t{block} * pairs * kPairStep, pairs,
              out + std::ptrdiff_t{block} * kBlockPixels, plane);
  }
}

// Down to 5/4 and 5/2 of the size a bilinear filter has two or three pairs: those loops are
// unrolled.
inline void rgb_range(const Line& line, const std::uint8_t* row, int from, int to,
                      std::uint8_t* out, std::ptrdiff_t plane) {
  switch (line.pairs) {
    case 1:
      return rgb_blocks<1>(line, row, from, to, out, plane);
    case 2:
      return rgb_blocks<2>(line, row, from, to, out, plane);
    case 3:
      return rgb_blocks<3>(line, row, from, to, out, plane);
    case 4:
      return rgb_blocks<4>(line, row, from, to, out, plane);
    default:
      return rgb_blocks<0>(line, row, from, to, out, plane);
  }
}

inline void avx2_horizontal_rgb(const Line& line, const std::uint8_t* row, int pixels,
                                std::uint8_t* tail, std::uint8_t* out, std::ptrdiff_t plane) {
  if (line.pairs == 0) return plain_horizontal<3>(line, row, pixels, tail, out, plane);
  rgb_range(line, row, 0, line.tail_first, out, plane);
  if (line.tail_first < line.tail_last) {
    std::memcpy(tail, row + std::ptrdiff_t{line.tail_start} * 3,
                static_cast<std::size_t>(pixels - line.tail_start) * 3);
    rgb_range(line, tail, line.tail_first, line.tail_last, out, plane);
  }
  rgb_range(line, row, line.tail_last, line.blocks, out, plane);
}

}  // namespace
}  // namespace FLATOUT_ISA
}  // namespace flatout::data::transform
