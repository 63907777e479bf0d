#include "data/decode/jpeg/tables.h"

#include <algorithm>
#include <array>
#include <cstddef>

#include "data/decode/jpeg/headers.h"

namespace flatout::data {
namespace {

// A symbol's run of zeros and the bits of its value; lengths are 0 where the window is too short
// for the code.
struct Symbol {
  int code_bits = 0;
  int run = 0;
  int size = 0;
  int bits() const { return code_bits + size; }
};

// Checks that the lengths make a prefix code without the code of ones alone, and lays it out for
// decoding.
bool build_slow(const HuffmanSpec& spec, SlowCodes& slow) {
  if (!spec.present) return false;
  std::uint32_t code = 0;
  int index = 0;
  for (std::size_t bits = 1; bits <= 16; ++bits) {
    const std::uint32_t count = spec.counts[bits - 1];
    slow.offset[bits] = index - static_cast<int>(code);
    code += count;
    index += static_cast<int>(count);
    if (count != 0 && code >= 1U << bits) return false;
    slow.limit[bits] = code << (16 - bits);
    code <<= 1;
  }
  std::copy(spec.symbols.begin(), spec.symbols.end(), slow.symbols);
  return true;
}

// Calls `set(window, symbol)` for every window of `look_bits` bits that begins with a whole code.
template <typename Set>
void for_each_window(const HuffmanSpec& spec, int look_bits, Set set) {
  unsigned window = 0;
  std::size_t index = 0;
  for (int bits = 1; bits <= look_bits; ++bits) {
    for (int i = 0; i < spec.counts[static_cast<std::size_t>(bits - 1)]; ++i) {
      const int symbol = spec.symbols[index++];
      const Symbol decoded = {.code_bits = bits, .run = symbol >> 4, .size = symbol & 15};
      for (unsigned end = window + (1U << (look_bits - bits)); window < end; ++window)
        set(window, decoded);
    }
  }
}

// The value of a symbol whose code and bits lie within the upper bits of `window` (T.81, F.2.2.1:
// EXTEND).
int value_in(unsigned window, int look_bits, const Symbol& symbol) {
  if (symbol.size == 0) return 0;
  const unsigned mask = (1U << symbol.size) - 1;
  const int bits = static_cast<int>(window >> (look_bits - symbol.bits()) & mask);
  return bits < 1 << (symbol.size - 1) ? bits - static_cast<int>(mask) : bits;
}

bool sizes_within(const HuffmanSpec& spec, int mask, int most) {
  const auto begin = spec.symbols.begin();
  return std::all_of(begin, begin + spec.symbol_count,
                     [=](int symbol) { return (symbol & mask) <= most; });
}

bool is_end(const Symbol& symbol) { return symbol.size == 0 && symbol.run != 15; }

// How far the place advances, the value's own place included.
int advance_of(const Symbol& symbol) { return is_end(symbol) ? kEndOfBlock : symbol.run + 1; }
// Where the value goes; a run of sixteen zeros has none, its zero may stand at the first of them.
int place_of(const Symbol& symbol) { return symbol.size == 0 ? 0 : symbol.run; }

// What to add to code and value bits, read as one number, to get the value (EXTEND, and the code
// taken off).
int base_of(unsigned window, const Symbol& symbol) {
  const int code = static_cast<int>(window >> (kAcLookBits - symbol.code_bits));
  const int below = code << symbol.size;
  if (symbol.size == 0) return -below;
  const bool negative = (window >> (kAcLookBits - symbol.code_bits - 1) & 1) == 0;
  return negative ? 1 - (1 << symbol.size) - below : -below;
}

AcLook look_at(const std::array<Symbol, 1 << kAcLookBits>& symbols, unsigned window) {
  constexpr unsigned kMask = (1U << kAcLookBits) - 1;
  const Symbol& first = symbols[window];
  if (first.code_bits == 0 || (first.code_bits == kAcLookBits && first.size != 0)) return {};
  int length = first.bits();
  int advance = advance_of(first);
  int value = 0;
  const Symbol& second = symbols[window << std::min(length, kAcLookBits) & kMask];
  if (!is_end(first) && second.code_bits != 0 && length + second.bits() <= kAcLookBits) {
    value = value_in(window << length & kMask, kAcLookBits, second);
    length += second.bits();
    advance += advance_of(second);
  }
  return {.length = static_cast<std::uint8_t>(length),
          .advance = static_cast<std::uint8_t>(advance),
          .shift = static_cast<std::uint8_t>(64 - first.bits()),
          .first_place = static_cast<std::uint8_t>(place_of(first)),
          .first_base = static_cast<std::uint16_t>(base_of(window, first)),
          .second = static_cast<std::int16_t>(value)};
}

// Entries for what begins with the `length` bits that advance so far, by the next `left` bits.
// Value bits do not matter, so what follows a code is made once and repeated.
void fill_skip_looks(const HuffmanSpec& spec, SkipLook* looks, int left, int length, int advance) {
  const SkipLook so_far = {.length = static_cast<std::uint8_t>(length),
                           .advance = static_cast<std::uint8_t>(advance)};
  std::fill_n(looks, std::size_t{1} << left, so_far);
  if (advance >= kEndOfBlock / 2) return;
  std::size_t index = 0;
  for (int bits = 1; bits <= left; ++bits) {
    for (int i = 0; i < spec.counts[static_cast<std::size_t>(bits - 1)]; ++i) {
      const int coded = spec.symbols[index++];
      const Symbol symbol = {.code_bits = bits, .run = coded >> 4, .size = coded & 15};
      const std::size_t span = std::size_t{1} << (left - bits);
      const int after = std::max(left - symbol.bits(), 0);
      fill_skip_looks(spec, looks, after, length + symbol.bits(), advance + advance_of(symbol));
      for (std::size_t done = std::size_t{1} << after; done < span; done *= 2)
        std::copy_n(looks, done, looks + done);
      looks += span;
    }
  }
}

}  // namespace

bool build_dc_table(const HuffmanSpec& spec, DcTable& table) {
  if (!build_slow(spec, table.slow) || !sizes_within(spec, 0xFF, kMaxDcSize)) return false;
  std::fill(std::begin(table.looks), std::end(table.looks), 0);
  for_each_window(spec, kDcLookBits, [&](unsigned window, const Symbol& symbol) {
    table.looks[window] =
        static_cast<std::uint16_t>(symbol.bits() | symbol.size << 6 | symbol.code_bits << 10);
  });
  return true;
}

bool build_ac_table(const HuffmanSpec& spec, AcTable& table) {
  if (!build_slow(spec, table.slow) || !sizes_within(spec, 0x0F, kMaxAcSize)) return false;
  std::array<Symbol, 1 << kAcLookBits> symbols = {};
  for_each_window(spec, kAcLookBits,
                  [&](unsigned window, const Symbol& symbol) { symbols[window] = symbol; });
  for (unsigned window = 0; window < symbols.size(); ++window)
    table.looks[window] = look_at(symbols, window);
  return true;
}

void build_skip_table(const HuffmanSpec& spec, SkipTable& table) {
  fill_skip_looks(spec, table.looks, kSkipLookBits, 0, 0);
}

}  // namespace flatout::data
