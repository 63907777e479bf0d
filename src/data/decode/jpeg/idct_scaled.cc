#include "data/decode/jpeg/idct_scaled.h"

#include <cstring>

#include "data/decode/highway.h"

namespace flatout::data::FLATOUT_ISA {
namespace {

constexpr int kBits = 13;  // of the fixed-point factors
constexpr int kPass1Bits = 2;
constexpr int kLargestFirstRow = 8191;  // see idct.cc

// Sums of two neighbours of the 8-point transform: 2^kBits * sqrt(2) * (cos((2x + 1) k pi / 16) +
// cos((2x + 3) k pi / 16)) for coefficient k, of the outer pair (x = 0) and the inner one (x = 2).
// That of 4 is zero, that of 0 is 2 * 2^kBits; those of 2 and 6 differ in sign alone.
constexpr int kEven2 = 15137, kEven6 = -6270;
constexpr int kInner1 = 8697, kInner3 = -17799, kInner5 = 11893, kInner7 = -1730;
constexpr int kOuter1 = 20995, kOuter3 = 7373, kOuter5 = -4926, kOuter7 = -4176;
// The same of four neighbours: of the even ones only 0 is left, with 4 * 2^kBits.
constexpr int kHalf1 = 29692, kHalf3 = -10426, kHalf5 = 6967, kHalf7 = -5906;

std::int16_t saturate(std::int32_t value) {
  return static_cast<std::int16_t>(value < -32768 ? -32768 : value > 32767 ? 32767 : value);
}

std::uint8_t to_byte(std::int32_t value) {
  const int sample = saturate(value) + 128;
  return static_cast<std::uint8_t>(sample < 0 ? 0 : sample > 255 ? 255 : sample);
}

std::int32_t descale(std::uint32_t value, int shift) {
  return static_cast<std::int32_t>(value + (1U << (shift - 1))) >> shift;
}

#if HWY_TARGET == HWY_SCALAR

// factor * value, modulo 2^32 as vectors have it.
std::uint32_t times(int factor, int value) {
  return static_cast<std::uint32_t>(factor) * static_cast<std::uint32_t>(value);
}

// Eight values of a block's row, dequantised modulo 2^16.
void dequantise(std::int16_t* row, const std::int16_t* steps) {
  for (std::ptrdiff_t i = 0; i < 8; ++i) row[i] = static_cast<std::int16_t>(row[i] * steps[i]);
}

bool fits(const std::int16_t* first_row) {
  bool good = true;
  for (std::ptrdiff_t i = 0; i < 8; ++i)
    good &= first_row[i] <= kLargestFirstRow && first_row[i] >= -kLargestFirstRow;
  return good;
}

void clear(std::int16_t* values) {
  for (std::ptrdiff_t row = 0; row < 8; ++row) std::memset(values + 16 * row, 0, 16);
}

// Coefficients 1, 3, 5 and 7 of two means, which are `step` apart.
std::uint32_t odd_of_two(const std::int16_t* in, std::ptrdiff_t step) {
  return times(kHalf1, in[step]) + times(kHalf3, in[3 * step]) + times(kHalf5, in[5 * step]) +
         times(kHalf7, in[7 * step]);
}

bool idct_2x2(std::int16_t* values, const BlockTarget& target) {
  for (const std::ptrdiff_t row : {0, 1, 3, 5, 7})
    dequantise(values + 16 * row, target.quant->steps + 8 * row);
  const bool good = fits(values);
  std::int16_t halves[2][8];
  constexpr int kShift = kBits - kPass1Bits + 2;
  for (std::ptrdiff_t i = 0; i < 8; ++i) {
    const std::uint32_t even = static_cast<std::uint32_t>(values[i]) << (kBits + 2);
    const std::uint32_t odd = odd_of_two(values + i, 16);
    halves[0][i] = saturate(descale(even + odd, kShift));
    halves[1][i] = saturate(descale(even - odd, kShift));
  }
  for (std::ptrdiff_t row = 0; row < 2; ++row) {
    constexpr int kLastShift = kBits + kPass1Bits + 3 + 2;
    const std::uint32_t even = static_cast<std::uint32_t>(halves[row][0]) << (kBits + 2);
    const std::uint32_t odd = odd_of_two(halves[row], 1);
    std::uint8_t* out = target.samples + row * target.stride;
    out[0] = to_byte(descale(even + odd, kLastShift));
    out[1] = to_byte(descale(even - odd, kLastShift));
  }
  clear(values);
  return good;
}

// Four means of eight inputs, `step` apart.
template <int kShift>
void four_means(const std::int16_t* in, std::ptrdiff_t step, std::int32_t* out) {
  const std::uint32_t zeroth = static_cast<std::uint32_t>(in[0]) << (kBits + 1);
  const std::uint32_t even = times(kEven2, in[2 * step]) + times(kEven6, in[6 * step]);
  const std::uint32_t outer = times(kOuter1, in[step]) + times(kOuter3, in[3 * step]) +
                              times(kOuter5, in[5 * step]) + times(kOuter7, in[7 * step]);
  const std::uint32_t inner = times(kInner1, in[step]) + times(kInner3, in[3 * step]) +
                              times(kInner5, in[5 * step]) + times(kInner7, in[7 * step]);
  out[0] = descale(zeroth + even + outer, kShift);
  out[1] = descale(zeroth - even + inner, kShift);
  out[2] = descale(zeroth - even - inner, kShift);
  out[3] = descale(zeroth + even - outer, kShift);
}

bool idct_4x4(std::int16_t* values, const BlockTarget& target) {
  for (std::ptrdiff_t row = 0; row < 8; ++row)
    dequantise(values + 16 * row, target.quant->steps + 8 * row);
  const bool good = fits(values);
  std::int16_t means[4][8];
  std::int32_t out[4];
  for (std::ptrdiff_t i = 0; i < 8; ++i) {
    four_means<kBits - kPass1Bits + 1>(values + i, 16, out);
    for (std::ptrdiff_t k = 0; k < 4; ++k) means[k][i] = saturate(out[k]);
  }
  for (std::ptrdiff_t row = 0; row < 4; ++row) {
    four_means<kBits + kPass1Bits + 3 + 1>(means[row], 1, out);
    for (std::ptrdiff_t k = 0; k < 4; ++k)
      target.samples[row * target.stride + k] = to_byte(out[k]);
  }
  clear(values);
  return good;
}

#else

const hn::CappedTag<std::int16_t, 8> kWords;
using D16 = decltype(kWords);
const hn::RepartitionToWide<D16> kDoubles;
using D32 = decltype(kDoubles);
using V16 = hn::Vec<D16>;
using V32 = hn::Vec<D32>;

HWY_INLINE bool fits(V16 first_row) {
  const auto bound = hn::Set(kWords, kLargestFirstRow);
  return hn::AllFalse(kWords, hn::Or(hn::Gt(first_row, bound), hn::Lt(first_row, hn::Neg(bound))));
}

// a * x + b * y of four columns, whose x and y are interleaved.
HWY_INLINE V32 dot(V16 xy, int a, int b) {
  const auto both = static_cast<std::int32_t>(static_cast<std::uint32_t>(b) << 16 |
                                              (static_cast<std::uint32_t>(a) & 0xFFFFU));
  return dot_pairs(kDoubles, xy, hn::BitCast(kWords, hn::Set(kDoubles, both)));
}

// Four means of eight inputs each of four lines. The pairs are interleaved; `zeroth` has zeros
// before each value.
struct FourLines {
  V16 zeroth, in26, in13, in57;
};

template <int kShift>
HWY_INLINE void four_means(const FourLines& lines, V32 (&out)[4]) {
  const V32 zeroth = hn::Add(hn::ShiftRight<16 - kBits - 1>(hn::BitCast(kDoubles, lines.zeroth)),
                             hn::Set(kDoubles, 1 << (kShift - 1)));
  const V32 even = dot(lines.in26, kEven2, kEven6);
  const V32 outer = hn::Add(dot(lines.in13, kOuter1, kOuter3), dot(lines.in57, kOuter5, kOuter7));
  const V32 inner = hn::Add(dot(lines.in13, kInner1, kInner3), dot(lines.in57, kInner5, kInner7));
  out[0] = hn::ShiftRight<kShift>(hn::Add(hn::Add(zeroth, even), outer));
  out[1] = hn::ShiftRight<kShift>(hn::Add(hn::Sub(zeroth, even), inner));
  out[2] = hn::ShiftRight<kShift>(hn::Sub(hn::Sub(zeroth, even), inner));
  out[3] = hn::ShiftRight<kShift>(hn::Sub(hn::Add(zeroth, even), outer));
}

// Columns to rows of four means; each vector holds eight columns.
HWY_INLINE void first_pass(const V16 (&v)[8], V16 (&rows)[4]) {
  const V16 zero = hn::Zero(kWords);
  V32 left[4], right[4];
  four_means<kBits - kPass1Bits + 1>(
      {hn::InterleaveLower(kWords, zero, v[0]), hn::InterleaveLower(kWords, v[2], v[6]),
       hn::InterleaveLower(kWords, v[1], v[3]), hn::InterleaveLower(kWords, v[5], v[7])},
      left);
  four_means<kBits - kPass1Bits + 1>(
      {hn::InterleaveUpper(kWords, zero, v[0]), hn::InterleaveUpper(kWords, v[2], v[6]),
       hn::InterleaveUpper(kWords, v[1], v[3]), hn::InterleaveUpper(kWords, v[5], v[7])},
      right);
#pragma GCC unroll 4
  for (int k = 0; k < 4; ++k) rows[k] = hn::ReorderDemote2To(kWords, left[k], right[k]);
}

// 32-bit pairs of rows to columns: two columns of four rows in a vector.
HWY_INLINE V16 lower_pairs(V16 a, V16 b) {
  return hn::BitCast(
      kWords, hn::InterleaveLower(kDoubles, hn::BitCast(kDoubles, a), hn::BitCast(kDoubles, b)));
}
HWY_INLINE V16 upper_pairs(V16 a, V16 b) {
  return hn::BitCast(
      kWords, hn::InterleaveUpper(kDoubles, hn::BitCast(kDoubles, a), hn::BitCast(kDoubles, b)));
}

HWY_INLINE void second_pass(const V16 (&rows)[4], V32 (&columns)[4]) {
  const V16 top_left = hn::InterleaveLower(kWords, rows[0], rows[1]);
  const V16 low_left = hn::InterleaveLower(kWords, rows[2], rows[3]);
  const V16 top_right = hn::InterleaveUpper(kWords, rows[0], rows[1]);
  const V16 low_right = hn::InterleaveUpper(kWords, rows[2], rows[3]);
  const V16 c01 = lower_pairs(top_left, low_left);
  const V16 c23 = upper_pairs(top_left, low_left);
  const V16 c45 = lower_pairs(top_right, low_right);
  const V16 c67 = upper_pairs(top_right, low_right);
  four_means<kBits + kPass1Bits + 3 + 1>(
      {hn::InterleaveLower(kWords, hn::Zero(kWords), c01), hn::InterleaveLower(kWords, c23, c67),
       hn::InterleaveUpper(kWords, c01, c23), hn::InterleaveUpper(kWords, c45, c67)},
      columns);
}

// Numbers around 0, in columns of four, to rows of four bytes around 128.
HWY_INLINE void store(const V32 (&columns)[4], const BlockTarget& target) {
  const hn::Repartition<std::uint8_t, D16> bytes;
  const auto held = [](V16 v) HWY_ATTR {
    v = hn::SaturatedAdd(v, hn::Set(kWords, 128));
    return hn::Min(hn::Max(v, hn::Zero(kWords)), hn::Set(kWords, 255));
  };
  const V16 c01 = held(hn::ReorderDemote2To(kWords, columns[0], columns[1]));
  const V16 c23 = held(hn::ReorderDemote2To(kWords, columns[2], columns[3]));
  // One above the other in a word, then two words in a row of four bytes.
  const V16 c0_1 = hn::Or(c01, hn::ShiftLeft<8>(hn::ShiftRightLanes<4>(kWords, c01)));
  const V16 c2_3 = hn::Or(c23, hn::ShiftLeft<8>(hn::ShiftRightLanes<4>(kWords, c23)));
  alignas(16) std::uint8_t rows[16];
  hn::Store(hn::BitCast(bytes, hn::InterleaveLower(kWords, c0_1, c2_3)), bytes, rows);
  for (std::ptrdiff_t row = 0; row < 4; ++row)
    std::memcpy(target.samples + row * target.stride, rows + 4 * row, 4);
}

bool idct_4x4(std::int16_t* values, const BlockTarget& target) {
  V16 v[8];
#pragma GCC unroll 8
  for (std::ptrdiff_t row = 0; row < 8; ++row) {
    v[row] = hn::Mul(hn::LoadU(kWords, values + 16 * row),
                     hn::Load(kWords, target.quant->steps + 8 * row));
    hn::StoreU(hn::Zero(kWords), kWords, values + 16 * row);
  }
  const auto bound = hn::Set(kWords, kLargestFirstRow);
  const bool good = hn::AllFalse(kWords, hn::Or(hn::Gt(v[0], bound), hn::Lt(v[0], hn::Neg(bound))));
  V16 rows[4];
  first_pass(v, rows);
  V32 columns[4];
  second_pass(rows, columns);
  store(columns, target);
  return good;
}

// Two means of eight inputs each of four lines, interleaved as above.
HWY_INLINE void two_means(V16 zeroth, V16 in13, V16 in57, V32 (&out)[2]) {
  constexpr int kShift = kBits - kPass1Bits + 2;
  const V32 even = hn::Add(hn::ShiftRight<16 - kBits - 2>(hn::BitCast(kDoubles, zeroth)),
                           hn::Set(kDoubles, 1 << (kShift - 1)));
  const V32 odd = hn::Add(dot(in13, kHalf1, kHalf3), dot(in57, kHalf5, kHalf7));
  out[0] = hn::ShiftRight<kShift>(hn::Add(even, odd));
  out[1] = hn::ShiftRight<kShift>(hn::Sub(even, odd));
}

bool idct_2x2(std::int16_t* values, const BlockTarget& target) {
  V16 v[8];
#pragma GCC unroll 8
  for (std::ptrdiff_t row = 0; row < 8; ++row) {
    v[row] = hn::Mul(hn::LoadU(kWords, values + 16 * row),
                     hn::Load(kWords, target.quant->steps + 8 * row));
    hn::StoreU(hn::Zero(kWords), kWords, values + 16 * row);
  }
  V32 left[2], right[2];
  const V16 zero = hn::Zero(kWords);
  two_means(hn::InterleaveLower(kWords, zero, v[0]), hn::InterleaveLower(kWords, v[1], v[3]),
            hn::InterleaveLower(kWords, v[5], v[7]), left);
  two_means(hn::InterleaveUpper(kWords, zero, v[0]), hn::InterleaveUpper(kWords, v[1], v[3]),
            hn::InterleaveUpper(kWords, v[5], v[7]), right);
  // Of both rows the odd coefficients' parts, summed.
  alignas(16) constexpr std::int16_t kOdd[8] = {0, kHalf1, 0, kHalf3, 0, kHalf5, 0, kHalf7};
  const V16 rows[2] = {hn::ReorderDemote2To(kWords, left[0], right[0]),
                       hn::ReorderDemote2To(kWords, left[1], right[1])};
  const V32 first = dot_pairs(kDoubles, rows[0], hn::Load(kWords, kOdd));
  const V32 second = dot_pairs(kDoubles, rows[1], hn::Load(kWords, kOdd));
  const V32 sums = hn::Add(hn::InterleaveLower(kDoubles, first, second),
                           hn::InterleaveUpper(kDoubles, first, second));
  alignas(16) std::int32_t parts[4];
  hn::Store(sums, kDoubles, parts);
  for (std::ptrdiff_t row = 0; row < 2; ++row) {
    constexpr int kShift = kBits + kPass1Bits + 3 + 2;
    const auto even = static_cast<std::uint32_t>(hn::GetLane(rows[row])) << (kBits + 2);
    const auto odd =
        static_cast<std::uint32_t>(parts[row]) + static_cast<std::uint32_t>(parts[row + 2]);
    std::uint8_t* out = target.samples + row * target.stride;
    out[0] = to_byte(descale(even + odd, kShift));
    out[1] = to_byte(descale(even - odd, kShift));
  }
  return fits(v[0]);
}

#endif

}  // namespace

bool idct_scaled(std::int16_t* values, const BlockTarget& target, int side) {
  return side == 4 ? idct_4x4(values, target) : idct_2x2(values, target);
}

}  // namespace flatout::data::FLATOUT_ISA
