// Highway as the files that are compiled once an instruction set use it, and the few operations on
// 8 and 16 bits that it lacks. Where it knows no vectors (HWY_SCALAR), callers have plain loops.
#pragma once

// x86-64-v3 has AVX2 but neither AES nor PCLMUL, which Highway would want for its AVX2.
#if !defined(HWY_DISABLE_PCLMUL_AES)
#define HWY_DISABLE_PCLMUL_AES
#endif
#include <hwy/highway.h>

#include <cstdint>

namespace flatout::data::FLATOUT_ISA {
namespace {

namespace hn = hwy::HWY_NAMESPACE;

#if HWY_TARGET != HWY_SCALAR

// a[2i] * b[2i] + a[2i+1] * b[2i+1], modulo 2^32.
template <class D32, class V16>
HWY_INLINE hn::Vec<D32> dot_pairs(D32 d32, V16 a, V16 b) {
  // The vectors that Highway makes of plain code share the sum out between two registers.
#if HWY_ARCH_X86 && HWY_TARGET != HWY_EMU128
  hn::Vec<D32> unused = hn::Zero(d32);
  return hn::ReorderWidenMulAccumulate(d32, a, b, hn::Zero(d32), unused);
#else
  const auto a32 = hn::BitCast(d32, a);
  const auto b32 = hn::BitCast(d32, b);
  const auto even = hn::Mul(hn::ShiftRight<16>(hn::ShiftLeft<16>(a32)),
                            hn::ShiftRight<16>(hn::ShiftLeft<16>(b32)));
  return hn::Add(even, hn::Mul(hn::ShiftRight<16>(a32), hn::ShiftRight<16>(b32)));
#endif
}

// The eight words of each 128-bit block of `a`, then those of `b`, plus 128 and held to 0..255.
template <class D8, class V16>
HWY_INLINE hn::Vec<D8> pack_bytes(D8 d8, V16 a, V16 b) {
#if HWY_TARGET == HWY_AVX2
  return hn::Xor(hn::Vec<D8>{_mm256_packs_epi16(a.raw, b.raw)}, hn::Set(d8, 0x80));
#else
  const hn::RepartitionToWide<D8> words;
  const hn::Rebind<std::int16_t, decltype(words)> d16;
  const auto held = [&](V16 v) HWY_ATTR {
    v = hn::SaturatedAdd(v, hn::Set(d16, 128));
    return hn::BitCast(d8, hn::Min(hn::Max(v, hn::Zero(d16)), hn::Set(d16, 255)));
  };
  static_assert(hn::MaxLanes(D8()) == 16, "ConcatEven crosses 128-bit blocks");
  return hn::ConcatEven(d8, held(b), held(a));
#endif
}

#endif

}  // namespace
}  // namespace flatout::data::FLATOUT_ISA
