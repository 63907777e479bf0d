// Bytes by a table for AVX2. Only kernels.cc includes this.
#pragma once

#include "data/transform/kernels/avx2_horizontal.h"

namespace flatout::data::transform {
namespace FLATOUT_ISA {
namespace {

// A shuffle looks up 16 entries, so each byte is looked up in all sixteenths of the table: with the
// sixteenth's first value taken off, only those that lie in it stay below 16, and what is not
// below 16 is lifted to a highest bit of 1, for which the shuffle gives 0.
inline void avx2_look_up(const std::uint8_t* table, std::uint8_t* bytes, std::ptrdiff_t count) {
  constexpr int kEntries = 16;
  const Bytes step = hn::Set(kBytes, kEntries);
  const Bytes lift = hn::Set(kBytes, 0x80 - kEntries);
  for (std::ptrdiff_t i = 0; i < count; i += kRowPadding) {
    Bytes place = hn::LoadU(kBytes, bytes + i);
    Bytes found = hn::Zero(kBytes);
#pragma GCC unroll 16
    for (int first = 0; first < 256; first += kEntries) {
      const Bytes entries = hn::LoadDup128(kBytes, table + first);
      const Bytes lifted = hn::SaturatedAdd(place, lift);
      found = hn::Or(found, Bytes{_mm256_shuffle_epi8(entries.raw, lifted.raw)});
      place = hn::Sub(place, step);
    }
    hn::StoreU(found, kBytes, bytes + i);
  }
}

}  // namespace
}  // namespace FLATOUT_ISA
}  // namespace flatout::data::transform
