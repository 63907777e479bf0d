#include "data/decode/jpeg/idct.h"

#include <cstring>

#include "data/decode/highway.h"

namespace flatout::data::FLATOUT_ISA {
namespace {

// 13-bit fixed-point factors of jidctint.c, paired as they are applied to two inputs at once.
constexpr int kBits = 13;
constexpr int kPass1Bits = 2;
constexpr int k0298 = 2446, k0390 = 3196, k0541 = 4433, k0765 = 6270, k0899 = 7373, k1175 = 9633;
constexpr int k1501 = 12299, k1847 = 15137, k1961 = 16069, k2053 = 16819, k2562 = 20995,
              k3072 = 25172;

// Above this, four times a DC value no longer fits 16 bits.
constexpr int kLargestFirstRow = 8191;

#if HWY_TARGET == HWY_SCALAR

std::int16_t saturate(std::int32_t value) {
  return static_cast<std::int16_t>(value < -32768 ? -32768 : value > 32767 ? 32767 : value);
}

std::int16_t wrap(std::int32_t value) { return static_cast<std::int16_t>(value); }

// a * x + b * y, modulo 2^32 as vectors have it.
std::uint32_t dot(int a, int x, int b, int y) {
  return static_cast<std::uint32_t>(a) * static_cast<std::uint32_t>(x) +
         static_cast<std::uint32_t>(b) * static_cast<std::uint32_t>(y);
}

// Eight inputs, and eight outputs, `step` apart.
void transform(const std::int16_t* in, std::int16_t* out, std::ptrdiff_t step, int shift) {
  const auto i = [in, step](std::ptrdiff_t k) { return static_cast<int>(in[k * step]); };
  const std::uint32_t round = 1U << (shift - 1);
  const std::uint32_t tmp3 = dot(k0541 + k0765, i(2), k0541, i(6));
  const std::uint32_t tmp2 = dot(k0541, i(2), k0541 - k1847, i(6));
  const auto tmp0 = static_cast<std::uint32_t>(wrap(i(0) + i(4))) << kBits;
  const auto tmp1 = static_cast<std::uint32_t>(wrap(i(0) - i(4))) << kBits;
  const std::uint32_t even[4] = {tmp0 + tmp3 + round, tmp1 + tmp2 + round, tmp1 - tmp2 + round,
                                 tmp0 - tmp3 + round};
  const int z3 = wrap(i(7) + i(3));
  const int z4 = wrap(i(5) + i(1));
  const std::uint32_t y3 = dot(k1175 - k1961, z3, k1175, z4);
  const std::uint32_t y4 = dot(k1175, z3, k1175 - k0390, z4);
  const std::uint32_t odd[4] = {
      dot(-k0899, i(7), k1501 - k0899, i(1)) + y4, dot(-k2562, i(5), k3072 - k2562, i(3)) + y3,
      dot(k2053 - k2562, i(5), -k2562, i(3)) + y4, dot(k0298 - k0899, i(7), -k0899, i(1)) + y3};
  for (std::ptrdiff_t k = 0; k < 4; ++k) {
    out[k * step] = saturate(static_cast<std::int32_t>(even[k] + odd[k]) >> shift);
    out[(7 - k) * step] = saturate(static_cast<std::int32_t>(even[k] - odd[k]) >> shift);
  }
}

bool idct_one(std::int16_t* values, BlockTarget target) {
  for (std::ptrdiff_t i = 0; i < 64; ++i) {
    std::int16_t& value = values[i / 8 * 16 + i % 8];
    value = wrap(value * target.quant->steps[i]);
  }
  for (std::ptrdiff_t column = 0; column < 8; ++column) {
    if (values[column] > kLargestFirstRow || values[column] < -kLargestFirstRow) return false;
    transform(values + column, values + column, 16, kBits - kPass1Bits);
  }
  for (std::ptrdiff_t row = 0; row < 8; ++row) {
    transform(values + 16 * row, values + 16 * row, 1, kBits + kPass1Bits + 3);
    for (std::ptrdiff_t column = 0; column < 8; ++column) {
      const int sample = values[16 * row + column] + 128;
      target.samples[row * target.stride + column] =
          static_cast<std::uint8_t>(sample < 0     ? 0
                                    : sample > 255 ? 255
                                                   : sample);
    }
  }
  return true;
}

#else

const hn::CappedTag<std::int16_t, 16> kWords;
using D16 = decltype(kWords);
const hn::RepartitionToWide<D16> kDoubles;
using D32 = decltype(kDoubles);
using V16 = hn::Vec<D16>;
using V32 = hn::Vec<D32>;

// A vector of the pair (a, b), to be multiplied with interleaved inputs.
V16 factors(int a, int b) {
  return hn::BitCast(
      kWords,
      hn::Set(kDoubles, static_cast<std::int32_t>(static_cast<std::uint32_t>(b) << 16 |
                                                  (static_cast<std::uint32_t>(a) & 0xFFFFU))));
}

// 32-bit numbers, those of the lower and of the upper half of each 128-bit block.
struct Halves {
  V32 low;
  V32 high;
};
struct Interleaved {
  V16 low;
  V16 high;
};

Halves operator+(Halves a, Halves b) { return {hn::Add(a.low, b.low), hn::Add(a.high, b.high)}; }
Halves operator-(Halves a, Halves b) { return {hn::Sub(a.low, b.low), hn::Sub(a.high, b.high)}; }

Interleaved interleave(V16 a, V16 b) {
  return {hn::InterleaveLower(kWords, a, b), hn::InterleaveUpper(kWords, a, b)};
}
Halves dot(Interleaved inputs, V16 by) {
  return {dot_pairs(kDoubles, inputs.low, by), dot_pairs(kDoubles, inputs.high, by)};
}

// value << kBits in 32 bits.
Halves widen(V16 value) {
  const V16 zero = hn::Zero(kWords);
  return {
      hn::ShiftRight<16 - kBits>(hn::BitCast(kDoubles, hn::InterleaveLower(kWords, zero, value))),
      hn::ShiftRight<16 - kBits>(hn::BitCast(kDoubles, hn::InterleaveUpper(kWords, zero, value)))};
}

template <int kShift>
V16 descale(Halves value) {
  return hn::ReorderDemote2To(kWords, hn::ShiftRight<kShift>(value.low),
                              hn::ShiftRight<kShift>(value.high));
}

// One dimension: v[k] is input k of eight columns of each block, then output k.
template <int kShift>
HWY_INLINE void transform(V16 (&v)[8]) {
  const V32 half = hn::Set(kDoubles, 1 << (kShift - 1));
  const Interleaved in26 = interleave(v[2], v[6]);
  const Halves tmp3 = dot(in26, factors(k0541 + k0765, k0541));
  const Halves tmp2 = dot(in26, factors(k0541, k0541 - k1847));
  const Halves tmp0 = widen(hn::Add(v[0], v[4])) + Halves{half, half};
  const Halves tmp1 = widen(hn::Sub(v[0], v[4])) + Halves{half, half};
  const Interleaved z34 = interleave(hn::Add(v[7], v[3]), hn::Add(v[5], v[1]));
  const Halves z3 = dot(z34, factors(k1175 - k1961, k1175));
  const Halves z4 = dot(z34, factors(k1175, k1175 - k0390));
  const Interleaved in71 = interleave(v[7], v[1]);
  const Interleaved in53 = interleave(v[5], v[3]);
  const Halves odd0 = dot(in71, factors(-k0899, k1501 - k0899)) + z4;
  const Halves odd1 = dot(in53, factors(-k2562, k3072 - k2562)) + z3;
  const Halves odd2 = dot(in53, factors(k2053 - k2562, -k2562)) + z4;
  const Halves odd3 = dot(in71, factors(k0298 - k0899, -k0899)) + z3;
  const Halves even0 = tmp0 + tmp3;
  const Halves even1 = tmp1 + tmp2;
  const Halves even2 = tmp1 - tmp2;
  const Halves even3 = tmp0 - tmp3;
  v[0] = descale<kShift>(even0 + odd0);
  v[7] = descale<kShift>(even0 - odd0);
  v[1] = descale<kShift>(even1 + odd1);
  v[6] = descale<kShift>(even1 - odd1);
  v[2] = descale<kShift>(even2 + odd2);
  v[5] = descale<kShift>(even2 - odd2);
  v[3] = descale<kShift>(even3 + odd3);
  v[4] = descale<kShift>(even3 - odd3);
}

// Rows and columns of each 8x8 block change places: pairs of rows, of pairs, of fours.
HWY_INLINE void transpose(V16 (&v)[8]) {
  const hn::RepartitionToWide<D32> quads;
  V32 pairs[8];
#pragma GCC unroll 4
  for (std::ptrdiff_t i = 0; i < 4; ++i) {
    pairs[2 * i] = hn::BitCast(kDoubles, hn::InterleaveLower(kWords, v[2 * i], v[2 * i + 1]));
    pairs[2 * i + 1] = hn::BitCast(kDoubles, hn::InterleaveUpper(kWords, v[2 * i], v[2 * i + 1]));
  }
#pragma GCC unroll 2
  for (std::ptrdiff_t half = 0; half < 2; ++half) {  // columns 0..3, columns 4..7
    const auto low01 =
        hn::BitCast(quads, hn::InterleaveLower(kDoubles, pairs[half], pairs[2 + half]));
    const auto high01 =
        hn::BitCast(quads, hn::InterleaveUpper(kDoubles, pairs[half], pairs[2 + half]));
    const auto low23 =
        hn::BitCast(quads, hn::InterleaveLower(kDoubles, pairs[4 + half], pairs[6 + half]));
    const auto high23 =
        hn::BitCast(quads, hn::InterleaveUpper(kDoubles, pairs[4 + half], pairs[6 + half]));
    v[4 * half] = hn::BitCast(kWords, hn::InterleaveLower(quads, low01, low23));
    v[4 * half + 1] = hn::BitCast(kWords, hn::InterleaveUpper(quads, low01, low23));
    v[4 * half + 2] = hn::BitCast(kWords, hn::InterleaveLower(quads, high01, high23));
    v[4 * half + 3] = hn::BitCast(kWords, hn::InterleaveUpper(quads, high01, high23));
  }
}

using D8 = hn::Repartition<std::uint8_t, D16>;

// Columns v[k] of samples around 0 to rows of bytes around 128: rows[i] holds row 2 * i and then 2
// * i + 1, of each block.
HWY_INLINE void pack_rows(const V16 (&v)[8], hn::Vec<D8> (&rows)[4]) {
  const D8 bytes;
  const auto columns04 = pack_bytes(bytes, v[0], v[4]);
  const auto columns15 = pack_bytes(bytes, v[1], v[5]);
  const auto columns26 = pack_bytes(bytes, v[2], v[6]);
  const auto columns37 = pack_bytes(bytes, v[3], v[7]);
  const auto c01 = hn::BitCast(kWords, hn::InterleaveLower(bytes, columns04, columns15));
  const auto c45 = hn::BitCast(kWords, hn::InterleaveUpper(bytes, columns04, columns15));
  const auto c23 = hn::BitCast(kWords, hn::InterleaveLower(bytes, columns26, columns37));
  const auto c67 = hn::BitCast(kWords, hn::InterleaveUpper(bytes, columns26, columns37));
  const auto c0123_upper = hn::BitCast(kDoubles, hn::InterleaveLower(kWords, c01, c23));
  const auto c0123_lower = hn::BitCast(kDoubles, hn::InterleaveUpper(kWords, c01, c23));
  const auto c4567_upper = hn::BitCast(kDoubles, hn::InterleaveLower(kWords, c45, c67));
  const auto c4567_lower = hn::BitCast(kDoubles, hn::InterleaveUpper(kWords, c45, c67));
  rows[0] = hn::BitCast(bytes, hn::InterleaveLower(kDoubles, c0123_upper, c4567_upper));
  rows[1] = hn::BitCast(bytes, hn::InterleaveUpper(kDoubles, c0123_upper, c4567_upper));
  rows[2] = hn::BitCast(bytes, hn::InterleaveLower(kDoubles, c0123_lower, c4567_lower));
  rows[3] = hn::BitCast(bytes, hn::InterleaveUpper(kDoubles, c0123_lower, c4567_lower));
}

// Row `row` of the steps of each block.
HWY_INLINE V16 steps_of(const BlockTarget* targets, std::ptrdiff_t row) {
#if HWY_TARGET == HWY_AVX2
  const hn::Half<D16> half;
  return hn::Combine(kWords, hn::Load(half, targets[1].quant->steps + 8 * row),
                     hn::Load(half, targets[0].quant->steps + 8 * row));
#else
  return hn::Load(kWords, targets[0].quant->steps + 8 * row);
#endif
}

// Two rows of eight bytes.
HWY_INLINE void store_rows(hn::Vec<hn::CappedTag<std::uint8_t, 16> > rows, std::uint8_t* first,
                           std::uint8_t* second) {
  const hn::CappedTag<std::uint8_t, 8> eight;
  hn::StoreU(hn::LowerHalf(eight, rows), eight, first);
  hn::StoreU(hn::UpperHalf(eight, rows), eight, second);
}

// Rows 2 * i and 2 * i + 1 of each block.
HWY_INLINE void store_rows(hn::Vec<D8> rows, const BlockTarget* targets, std::ptrdiff_t i) {
  const auto row_of = [i](const BlockTarget& target, std::ptrdiff_t row) {
    return target.samples + (2 * i + row) * target.stride;
  };
#if HWY_TARGET == HWY_AVX2
  const hn::Half<D8> half;
  store_rows(hn::LowerHalf(half, rows), row_of(targets[0], 0), row_of(targets[0], 1));
  store_rows(hn::UpperHalf(half, rows), row_of(targets[1], 0), row_of(targets[1], 1));
#else
  store_rows(rows, row_of(targets[0], 0), row_of(targets[0], 1));
#endif
}

// One vector's worth of blocks: both, or one where vectors have 128 bits.
HWY_INLINE bool idct_vector(std::int16_t* values, const BlockTarget* targets) {
  V16 v[8];
#pragma GCC unroll 8
  for (std::ptrdiff_t row = 0; row < 8; ++row) {
    v[row] = hn::Mul(hn::LoadU(kWords, values + 16 * row), steps_of(targets, row));
    hn::StoreU(hn::Zero(kWords), kWords, values + 16 * row);
  }
  const auto bound = hn::Set(kWords, kLargestFirstRow);
  const bool fits = hn::AllFalse(kWords, hn::Or(hn::Gt(v[0], bound), hn::Lt(v[0], hn::Neg(bound))));
  transform<kBits - kPass1Bits>(v);
  transpose(v);
  transform<kBits + kPass1Bits + 3>(v);
  hn::Vec<D8> rows[4];
  pack_rows(v, rows);
#pragma GCC unroll 4
  for (std::ptrdiff_t i = 0; i < 4; ++i) store_rows(rows[i], targets, i);
  return fits;
}

#endif

}  // namespace

bool idct_pair(CoefficientPair& pair, const BlockTarget* targets) {
#if HWY_TARGET == HWY_SCALAR
  bool fits = true;
  for (std::ptrdiff_t block = 0; block < 2; ++block)
    fits &= idct_one(pair.values + 8 * block, targets[block]);
  std::memset(pair.values, 0, sizeof pair.values);
  return fits;
#else
  bool fits = true;
  constexpr std::ptrdiff_t kBlocks{hn::MaxLanes(D16()) / 8};
  for (std::ptrdiff_t block = 0; block < 2; block += kBlocks)
    fits &= idct_vector(pair.values + 8 * block, targets + block);
  return fits;
#endif
}

}  // namespace flatout::data::FLATOUT_ISA
