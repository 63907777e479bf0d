// YCbCr to RGB with the fixed-point numbers of libjpeg (jdcolor.c, build_ycc_rgb_table).
#include "data/decode/highway.h"
#include "data/decode/jpeg/kernels_parts.h"

namespace flatout::data::FLATOUT_ISA {
namespace {

// Factors times 2^16. Vectors of 16 bits hold what is left of them beside a whole number.
constexpr int kRedOfCr = 91881;     // 1.40200
constexpr int kBlueOfCb = 116130;   // 1.77200
constexpr int kGreenOfCb = -22554;  // -0.34414
constexpr int kGreenOfCr = -46802;  // -0.71414
constexpr int kOne = 1 << 16;

#if HWY_TARGET == HWY_SCALAR

constexpr int kStep = 1;

std::uint8_t hold(int value) {
  return static_cast<std::uint8_t>(value < 0 ? 0 : value > 255 ? 255 : value);
}

void convert(const std::uint8_t* y, const std::uint8_t* cb, const std::uint8_t* cr,
             std::uint8_t* target) {
  const int b = *cb - 128;
  const int r = *cr - 128;
  target[0] = hold(*y + ((kRedOfCr * r + kOne / 2) >> 16));
  target[1] = hold(*y + ((kGreenOfCb * b + kGreenOfCr * r + kOne / 2) >> 16));
  target[2] = hold(*y + ((kBlueOfCb * b + kOne / 2) >> 16));
}

void store(const std::uint8_t* r, const std::uint8_t* g, const std::uint8_t* b,
           std::uint8_t* target) {
  target[0] = *r;
  target[1] = *g;
  target[2] = *b;
}

#else

const hn::CappedTag<std::uint8_t, 32> kBytes;
using D8 = decltype(kBytes);
const hn::Repartition<std::int16_t, D8> kWords;
using D16 = decltype(kWords);
const hn::RepartitionToWide<D16> kDoubles;
using V8 = hn::Vec<D8>;
using V16 = hn::Vec<D16>;
constexpr int kStep = static_cast<int>(hn::MaxLanes(D8()));

// Samples less 128; those of the lower and of the upper half of each 128-bit block, as pack_bytes
// puts them together again.
struct Centred {
  explicit HWY_INLINE Centred(const std::uint8_t* at) {
    const V8 bytes = hn::LoadU(kBytes, at);
    const V16 centre = hn::Set(kWords, 128);
    low =
        hn::Sub(hn::BitCast(kWords, hn::InterleaveLower(kBytes, bytes, hn::Zero(kBytes))), centre);
    high =
        hn::Sub(hn::BitCast(kWords, hn::InterleaveUpper(kBytes, bytes, hn::Zero(kBytes))), centre);
  }
  V16 low;
  V16 high;
};

// (v * factor + 2^15) >> 16, by the upper half of 2 * v * factor.
HWY_INLINE V16 scale(V16 v, int factor) {
  const V16 twice = hn::MulHigh(hn::Add(v, v), hn::Set(kWords, static_cast<std::int16_t>(factor)));
  return hn::ShiftRight<1>(hn::Add(twice, hn::Set(kWords, 1)));
}

HWY_INLINE V16 red(V16 y, V16 cr) { return hn::Add(hn::Add(y, cr), scale(cr, kRedOfCr - kOne)); }
HWY_INLINE V16 blue(V16 y, V16 cb) {
  return hn::Add(hn::Add(y, hn::Add(cb, cb)), scale(cb, kBlueOfCb - 2 * kOne));
}

HWY_INLINE V16 green(V16 y, V16 cb, V16 cr) {
  const auto factors =
      hn::BitCast(kWords, hn::Set(kDoubles, (kGreenOfCr + kOne) * kOne + (kGreenOfCb & 0xFFFF)));
  const auto half = hn::Set(kDoubles, kOne / 2);
  const auto low = hn::Add(dot_pairs(kDoubles, hn::InterleaveLower(kWords, cb, cr), factors), half);
  const auto high =
      hn::Add(dot_pairs(kDoubles, hn::InterleaveUpper(kWords, cb, cr), factors), half);
  const V16 rest = hn::ReorderDemote2To(kWords, hn::ShiftRight<16>(low), hn::ShiftRight<16>(high));
  return hn::Add(hn::Sub(y, cr), rest);
}

HWY_INLINE void convert(const std::uint8_t* y_at, const std::uint8_t* cb_at,
                        const std::uint8_t* cr_at, std::uint8_t* target) {
  const Centred y(y_at);
  const Centred cb(cb_at);
  const Centred cr(cr_at);
  const V8 r = pack_bytes(kBytes, red(y.low, cr.low), red(y.high, cr.high));
  const V8 g = pack_bytes(kBytes, green(y.low, cb.low, cr.low), green(y.high, cb.high, cr.high));
  const V8 b = pack_bytes(kBytes, blue(y.low, cb.low), blue(y.high, cb.high));
  hn::StoreInterleaved3(r, g, b, kBytes, target);
}

HWY_INLINE void store(const std::uint8_t* r, const std::uint8_t* g, const std::uint8_t* b,
                      std::uint8_t* target) {
  hn::StoreInterleaved3(hn::LoadU(kBytes, r), hn::LoadU(kBytes, g), hn::LoadU(kBytes, b), kBytes,
                        target);
}

#endif

}  // namespace

void ycc_to_rgb(const std::uint8_t* y, const std::uint8_t* cb, const std::uint8_t* cr, int count,
                std::uint8_t* target) {
  for (std::ptrdiff_t i = 0; i < count; i += kStep) convert(y + i, cb + i, cr + i, target + 3 * i);
}

void interleave(const std::uint8_t* r, const std::uint8_t* g, const std::uint8_t* b, int count,
                std::uint8_t* target) {
  for (std::ptrdiff_t i = 0; i < count; i += kStep) store(r + i, g + i, b + i, target + 3 * i);
}

const JpegKernels kJpegKernels = {.decode_mcus = decode_mcus,
                                  .double_columns = double_columns,
                                  .blend_rows = blend_rows,
                                  .double_both = double_both,
                                  .ycc_to_rgb = ycc_to_rgb,
                                  .interleave = interleave};

}  // namespace flatout::data::FLATOUT_ISA
