// Chroma planes to the size of the image. A triangle filter in each direction that is halved: 3/4
// nearest, 1/4 next.
#include "data/decode/highway.h"
#include "data/decode/jpeg/kernels_parts.h"

namespace flatout::data::FLATOUT_ISA {
namespace {

#if HWY_TARGET == HWY_SCALAR

constexpr int kStep = 1;

void sum_rows(const std::uint8_t* nearest, const std::uint8_t* next, std::uint16_t* sum) {
  *sum = static_cast<std::uint16_t>(3 * *nearest + *next);
}
void blend(const std::uint8_t* nearest, const std::uint8_t* next, int bias, std::uint8_t* target) {
  *target = static_cast<std::uint8_t>((3 * *nearest + *next + bias) >> 2);
}
template <int kShift, int kLeftBias, int kRightBias, typename T>
void spread(const T* source, std::uint8_t* target) {
  target[0] = static_cast<std::uint8_t>((3 * source[0] + source[-1] + kLeftBias) >> kShift);
  target[1] = static_cast<std::uint8_t>((3 * source[0] + source[1] + kRightBias) >> kShift);
}

#else

const hn::CappedTag<std::uint16_t, 16> kWords;
using D16 = decltype(kWords);
using D8 = hn::Rebind<std::uint8_t, D16>;
using V16 = hn::Vec<D16>;
constexpr int kStep = static_cast<int>(hn::MaxLanes(D16()));

HWY_INLINE V16 load(const std::uint8_t* at) { return hn::PromoteTo(kWords, hn::LoadU(D8(), at)); }
HWY_INLINE V16 load(const std::uint16_t* at) { return hn::LoadU(kWords, at); }

// 3 * nearest + next
HWY_INLINE V16 weigh(V16 nearest, V16 next) {
  return hn::Add(hn::Add(nearest, hn::Add(nearest, nearest)), next);
}

HWY_INLINE void sum_rows(const std::uint8_t* nearest, const std::uint8_t* next,
                         std::uint16_t* sum) {
  hn::StoreU(weigh(load(nearest), load(next)), kWords, sum);
}

HWY_INLINE void blend(const std::uint8_t* nearest, const std::uint8_t* next, int bias,
                      std::uint8_t* target) {
  const V16 sum =
      hn::Add(weigh(load(nearest), load(next)), hn::Set(kWords, static_cast<std::uint16_t>(bias)));
  const hn::RebindToSigned<D16> d16;
  hn::StoreU(hn::DemoteTo(D8(), hn::BitCast(d16, hn::ShiftRight<2>(sum))), D8(), target);
}

// Each sample becomes two: one that leans to the left, one to the right.
template <int kShift, int kLeftBias, int kRightBias, typename T>
HWY_INLINE void spread(const T* source, std::uint8_t* target) {
  const V16 here = load(source);
  const V16 left =
      hn::ShiftRight<kShift>(hn::Add(weigh(here, load(source - 1)), hn::Set(kWords, kLeftBias)));
  const V16 right =
      hn::ShiftRight<kShift>(hn::Add(weigh(here, load(source + 1)), hn::Set(kWords, kRightBias)));
  const hn::Repartition<std::uint8_t, D16> bytes;
  hn::StoreU(hn::BitCast(bytes, hn::Or(left, hn::ShiftLeft<8>(right))), bytes, target);
}

#endif

}  // namespace

void double_columns(const std::uint8_t* source, int count, std::uint8_t* target) {
  for (std::ptrdiff_t i = 0; i < count; i += kStep) spread<2, 1, 2>(source + i, target + 2 * i);
}

void blend_rows(const std::uint8_t* nearest, const std::uint8_t* next, bool above, int count,
                std::uint8_t* target) {
  for (std::ptrdiff_t i = 0; i < count; i += kStep)
    blend(nearest + i, next + i, above ? 1 : 2, target + i);
}

void double_both(const std::uint8_t* nearest, const std::uint8_t* next, int count,
                 std::uint16_t* sums, std::uint8_t* target) {
  for (std::ptrdiff_t i = 0; i < count + 2; i += kStep)
    sum_rows(nearest + i - 1, next + i - 1, sums + i);
  for (std::ptrdiff_t i = 0; i < count; i += kStep) spread<4, 8, 7>(sums + 1 + i, target + 2 * i);
}

}  // namespace flatout::data::FLATOUT_ISA
