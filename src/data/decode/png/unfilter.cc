// Rows of their differences to pixels beside and above (PNG specification, 9.2), and the checksum
// over them.
#include <cstring>

#include "data/decode/highway.h"
#include "data/decode/png/kernels_parts.h"

namespace flatout::data::FLATOUT_ISA {
namespace {

std::uint8_t sum(int a, int b) { return static_cast<std::uint8_t>(a + b); }

int distance(int a, int b) { return a < b ? b - a : a - b; }

// Whichever of left, above and the one above left is nearest to left + above - corner.
int paeth(int left, int above, int corner) {
  const int to_left = distance(above, corner);
  const int to_above = distance(left, corner);
  const int to_corner = distance(left + above, 2 * corner);
  if (to_left <= to_above && to_left <= to_corner) return left;
  return to_above <= to_corner ? above : corner;
}

void add_above(const std::uint8_t* differences, const std::uint8_t* above, std::size_t count,
               std::uint8_t* row) {
  for (std::size_t i = 0; i < count; ++i) row[i] = sum(differences[i], above[i]);
}

// Those with the bytes to the left: the first pixel has none.
template <std::size_t kStep>
void add_left(const std::uint8_t* differences, std::size_t count, std::uint8_t* row) {
  for (std::size_t i = 0; i < kStep && i < count; ++i) row[i] = differences[i];
  for (std::size_t i = kStep; i < count; ++i) row[i] = sum(differences[i], row[i - kStep]);
}

template <std::size_t kStep>
void add_average(const std::uint8_t* differences, const std::uint8_t* above, std::size_t count,
                 std::uint8_t* row) {
  for (std::size_t i = 0; i < kStep && i < count; ++i) row[i] = sum(differences[i], above[i] / 2);
  for (std::size_t i = kStep; i < count; ++i)
    row[i] = sum(differences[i], (row[i - kStep] + above[i]) / 2);
}

template <std::size_t kStep>
void add_paeth(const std::uint8_t* differences, const std::uint8_t* above, std::size_t count,
               std::uint8_t* row) {
  for (std::size_t i = 0; i < kStep && i < count; ++i) row[i] = sum(differences[i], above[i]);
  for (std::size_t i = kStep; i < count; ++i)
    row[i] = sum(differences[i], paeth(row[i - kStep], above[i], above[i - kStep]));
}

#if HWY_TARGET != HWY_SCALAR

// Pixels of three or four bytes, one after the other, all bytes of one at once. They read and write
// four, so what is behind the row is touched.
const hn::FixedTag<std::uint8_t, 4> kPixel;
const hn::FixedTag<std::int16_t, 4> kWide;
using Wide = hn::Vec<decltype(kWide)>;

HWY_INLINE Wide pixel_at(const std::uint8_t* at) {
  return hn::PromoteTo(kWide, hn::LoadU(kPixel, at));
}

// Keeps the lower eight bits of each sum.
HWY_INLINE Wide held(Wide sums) { return hn::And(sums, hn::Set(kWide, 255)); }

HWY_INLINE void store(Wide pixel, std::uint8_t* at) {
  hn::StoreU(hn::DemoteTo(kPixel, pixel), kPixel, at);
}

template <std::size_t kStep>
void average_pixels(const std::uint8_t* differences, const std::uint8_t* above, std::size_t count,
                    std::uint8_t* row) {
  Wide left = hn::Zero(kWide);
  for (std::size_t i = 0; i < count; i += kStep) {
    const Wide average = hn::ShiftRight<1>(hn::Add(left, pixel_at(above + i)));
    left = held(hn::Add(average, pixel_at(differences + i)));
    store(left, row + i);
  }
}

template <std::size_t kStep>
void paeth_pixels(const std::uint8_t* differences, const std::uint8_t* above, std::size_t count,
                  std::uint8_t* row) {
  Wide left = hn::Zero(kWide);
  Wide corner = hn::Zero(kWide);
  for (std::size_t i = 0; i < count; i += kStep) {
    const Wide up = pixel_at(above + i);
    const Wide from_corner_up = hn::Sub(up, corner);
    const Wide from_corner_left = hn::Sub(left, corner);
    const Wide to_left = hn::Abs(from_corner_up);
    const Wide to_above = hn::Abs(from_corner_left);
    const Wide to_corner = hn::Abs(hn::Add(from_corner_up, from_corner_left));
    const Wide nearest = hn::Min(to_corner, hn::Min(to_left, to_above));
    const Wide chosen = hn::IfThenElse(hn::Eq(nearest, to_left), left,
                                       hn::IfThenElse(hn::Eq(nearest, to_above), up, corner));
    left = held(hn::Add(chosen, pixel_at(differences + i)));
    corner = up;
    store(left, row + i);
  }
}

template <>
void add_average<3>(const std::uint8_t* differences, const std::uint8_t* above, std::size_t count,
                    std::uint8_t* row) {
  average_pixels<3>(differences, above, count, row);
}
template <>
void add_average<4>(const std::uint8_t* differences, const std::uint8_t* above, std::size_t count,
                    std::uint8_t* row) {
  average_pixels<4>(differences, above, count, row);
}
template <>
void add_paeth<3>(const std::uint8_t* differences, const std::uint8_t* above, std::size_t count,
                  std::uint8_t* row) {
  paeth_pixels<3>(differences, above, count, row);
}
template <>
void add_paeth<4>(const std::uint8_t* differences, const std::uint8_t* above, std::size_t count,
                  std::uint8_t* row) {
  paeth_pixels<4>(differences, above, count, row);
}

#endif

template <std::size_t kStep>
void unfilter_pixels(PngFilter filter, const std::uint8_t* differences, const std::uint8_t* above,
                     std::size_t count, std::uint8_t* row) {
  switch (filter) {
    case PngFilter::kNone:
      std::memcpy(row, differences, count);
      break;
    case PngFilter::kSub:
      add_left<kStep>(differences, count, row);
      break;
    case PngFilter::kUp:
      add_above(differences, above, count, row);
      break;
    case PngFilter::kAverage:
      add_average<kStep>(differences, above, count, row);
      break;
    case PngFilter::kPaeth:
      add_paeth<kStep>(differences, above, count, row);
      break;
  }
}

}  // namespace

void unfilter(PngFilter filter, const std::uint8_t* differences, const std::uint8_t* above,
              std::size_t count, int step, std::uint8_t* row) {
  switch (step) {
    case 1:
      unfilter_pixels<1>(filter, differences, above, count, row);
      break;
    case 2:
      unfilter_pixels<2>(filter, differences, above, count, row);
      break;
    case 3:
      unfilter_pixels<3>(filter, differences, above, count, row);
      break;
    case 4:
      unfilter_pixels<4>(filter, differences, above, count, row);
      break;
    case 6:
      unfilter_pixels<6>(filter, differences, above, count, row);
      break;
    default:
      unfilter_pixels<8>(filter, differences, above, count, row);
      break;
  }
}

// Sums of the bytes, and of these sums, modulo 65521 (RFC 1950, 8.2). 5552 bytes: no sum of fewer
// overflows 32 bits. A block of 32 adds its bytes 32, 31, ... 1 times to the second.
std::uint32_t adler(std::uint32_t before, const std::uint8_t* bytes, std::size_t count) {
  constexpr std::uint32_t kModulus = 65521;
  constexpr std::size_t kBlock = 32;
  std::uint32_t first = before & 0xffff;
  std::uint32_t second = before >> 16;
  while (count > 0) {
    std::size_t part = count < 5536 ? count : 5536;
    count -= part;
    for (; part >= kBlock; part -= kBlock, bytes += kBlock) {
      std::uint32_t plain = 0;
      std::uint32_t weighted = 0;
      for (std::size_t i = 0; i < kBlock; ++i) {
        plain += bytes[i];
        weighted += static_cast<std::uint32_t>(kBlock - i) * bytes[i];
      }
      second += static_cast<std::uint32_t>(kBlock) * first + weighted;
      first += plain;
    }
    for (; part > 0; --part) {
      first += *bytes++;
      second += first;
    }
    first %= kModulus;
    second %= kModulus;
  }
  return second << 16 | first;
}

const PngKernels kPngKernels = {.inflate = inflate, .unfilter = unfilter, .adler = adler};

}  // namespace flatout::data::FLATOUT_ISA
