// Huffman decoding and copying of DEFLATE (RFC 1951): the innermost loop of PNG. What is refused is
// what zlib refuses, so that a file is good for both or for none.
#include "data/decode/png/inflate.h"

#include <cstring>

#include "data/decode/png/inflate_tables.h"
#include "data/decode/png/kernels_parts.h"

namespace flatout::data::FLATOUT_ISA {
namespace {

// The reader's place, in registers.
struct Bits {
  const std::uint8_t* next;
  std::uint64_t acc;
  int count;

  // At least 56 bits afterwards; what lies above the counted ones is what follows, so that adding
  // the same bytes again changes nothing (as jpeg/blocks.cc does it).
  inline void refill() {
    std::uint64_t word = 0;
    std::memcpy(&word, next, sizeof word);
#if __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__
    word = __builtin_bswap64(word);
#endif
    acc |= word << count;
    next += (63 - count) >> 3;
    count |= 56;
  }
  inline void consume(std::uint32_t n) {
    acc >>= n & 63;
    count -= static_cast<int>(n & 63);
  }
  inline std::uint32_t peek(int n) const {
    return static_cast<std::uint32_t>(acc & ((std::uint64_t{1} << n) - 1));
  }
  inline std::uint32_t take(int n) {
    const std::uint32_t out = peek(n);
    consume(static_cast<std::uint32_t>(n));
    return out;
  }
  // Whether bits were consumed that the data do not have.
  inline bool is_beyond(const std::uint8_t* end) const { return next - count / 8 > end; }
};

void keep(const Bits& bits, Inflate& state) {
  state.next = bits.next;
  state.bits = bits.count == 0 ? 0 : bits.acc & (~std::uint64_t{0} >> (64 - bits.count));
  state.count = bits.count;
}

Bits bits_of(const Inflate& state) { return {state.next, state.bits, state.count}; }

// The order in which lengths of the code of lengths come (RFC 1951, 3.2.7).
constexpr std::uint8_t kLengthOrder[19] = {16, 17, 18, 0, 8,  7, 9,  6, 10, 5,
                                           11, 4,  12, 3, 13, 2, 14, 1, 15};
constexpr int kCodeLookBits = 7;

// Lengths of `total` codes, themselves coded.
bool read_lengths(Bits& bits, const std::uint8_t* end, const std::uint32_t* table, int total,
                  std::uint8_t* out) {
  for (int i = 0; i < total;) {
    if (bits.is_beyond(end)) return true;  // the caller sees that, too
    bits.refill();
    const std::uint32_t entry = table[bits.peek(kCodeLookBits)];
    if ((entry & kNoCode) == kNoCode) return false;
    bits.consume(entry & 0xff);
    const int symbol = static_cast<int>(entry >> 16);
    if (symbol < 16) {
      out[i++] = static_cast<std::uint8_t>(symbol);
      continue;
    }
    if (symbol == 16 && i == 0) return false;
    const std::uint8_t value = symbol == 16 ? out[i - 1] : std::uint8_t{0};
    const int times = static_cast<int>(symbol == 16   ? 3 + bits.take(2)
                                       : symbol == 17 ? 3 + bits.take(3)
                                                      : 11 + bits.take(7));
    if (times > total - i) return false;
    for (int k = 0; k < times; ++k) out[i++] = value;
  }
  return true;
}

InflateResult read_tables(Inflate& state, Bits& bits) {
  bits.refill();
  const int lengths = static_cast<int>(bits.take(5)) + 257;
  const int distances = static_cast<int>(bits.take(5)) + 1;
  const int codes = static_cast<int>(bits.take(4)) + 4;
  if (lengths > static_cast<int>(kMostLengthCodes) ||
      distances > static_cast<int>(kMostDistanceCodes))
    return InflateResult::kCorrupt;
  std::uint8_t code_lengths[19] = {};
  for (int i = 0; i < codes; ++i) {
    if (i % 8 == 0) bits.refill();
    code_lengths[kLengthOrder[i]] = static_cast<std::uint8_t>(bits.take(3));
  }
  if (bits.is_beyond(state.end)) return InflateResult::kTruncated;
  std::uint32_t table[1 << kCodeLookBits];
  if (!make_table(code_lengths, 19, /*may_be_single=*/false, kCodeLookBits, plain_entry, table,
                  1 << kCodeLookBits))
    return InflateResult::kCorrupt;
  std::uint8_t all[kMostLengthCodes + kMostDistanceCodes] = {};
  if (!read_lengths(bits, state.end, table, lengths + distances, all))
    return InflateResult::kCorrupt;
  if (bits.is_beyond(state.end)) return InflateResult::kTruncated;
  if (all[kEndSymbol] == 0) return InflateResult::kCorrupt;
  const bool made = make_table(all, lengths, true, kLengthLookBits, length_entry, state.lengths,
                               kLengthEntries) &&
                    make_table(all + lengths, distances, true, kDistanceLookBits, distance_entry,
                               state.distances, kDistanceEntries);
  return made ? InflateResult::kMore : InflateResult::kCorrupt;
}

void fixed_tables(Inflate& state) {
  std::uint8_t lengths[288];
  for (int i = 0; i < 288; ++i)
    lengths[i] = static_cast<std::uint8_t>(i < 144 ? 8 : i < 256 ? 9 : i < 280 ? 7 : 8);
  std::uint8_t distances[32];
  for (std::uint8_t& bits : distances) bits = 5;
  (void)make_table(lengths, 288, true, kLengthLookBits, length_entry, state.lengths,
                   kLengthEntries);
  (void)make_table(distances, 32, true, kDistanceLookBits, distance_entry, state.distances,
                   kDistanceEntries);
}

// The length of a stored block. Its bytes follow at `next`, with no bits before them.
InflateResult open_stored(Inflate& state, Bits& bits) {
  bits.consume(static_cast<std::uint32_t>(bits.count & 7));
  bits.refill();
  const std::uint32_t length = bits.take(16);
  const std::uint32_t check = bits.take(16);
  if (bits.is_beyond(state.end)) return InflateResult::kTruncated;
  if (length != (~check & 0xffff)) return InflateResult::kCorrupt;
  bits = {bits.next - bits.count / 8, 0, 0};
  state.stored_left = length;
  state.stage = InflateStage::kStored;
  return InflateResult::kMore;
}

InflateResult open_block(Inflate& state) {
  if (state.last_block) {
    state.stage = InflateStage::kEnd;
    return InflateResult::kEnd;
  }
  Bits bits = bits_of(state);
  if (bits.is_beyond(state.end)) return InflateResult::kTruncated;
  bits.refill();
  state.last_block = bits.take(1) != 0;
  const std::uint32_t kind = bits.take(2);
  InflateResult result =
      bits.is_beyond(state.end) ? InflateResult::kTruncated : InflateResult::kMore;
  if (result == InflateResult::kMore && kind == 3) result = InflateResult::kCorrupt;
  if (result == InflateResult::kMore && kind == 0) result = open_stored(state, bits);
  if (result == InflateResult::kMore && kind == 1) fixed_tables(state);
  if (result == InflateResult::kMore && kind == 2) result = read_tables(state, bits);
  if (kind != 0) state.stage = InflateStage::kCodes;
  keep(bits, state);
  return result;
}

InflateResult copy_stored(Inflate& state, std::uint8_t*& out, const std::uint8_t* stop) {
  const auto room = static_cast<std::size_t>(stop - out);
  const auto data = static_cast<std::size_t>(state.end - state.next);
  std::size_t count = state.stored_left;
  if (count > room) count = room;
  if (count > data) count = data;
  std::memcpy(out, state.next, count);
  out += count;
  state.next += count;
  state.stored_left -= static_cast<std::uint32_t>(count);
  if (state.stored_left == 0) {
    state.stage = InflateStage::kBlock;
  } else if (state.next == state.end && out < stop) {
    return InflateResult::kTruncated;
  }
  return InflateResult::kMore;
}

// Copies `length` bytes from `distance` before; up to 7 more are written. Where both overlap, each
// step copies no more than what is there: the rest of its eight bytes is overwritten by the next.
inline void copy_back(std::uint8_t* out, std::uint32_t distance, std::uint32_t length) {
  const std::uint8_t* from = out - distance;
  const std::uint8_t* const end = out + length;
  std::uint64_t word = 0;
  if (distance == 1) {
    word = *from * std::uint64_t{0x0101010101010101};
    for (; out < end; out += sizeof word) std::memcpy(out, &word, sizeof word);
    return;
  }
  const std::size_t step = distance < 8 ? distance : 8;
  do {
    std::memcpy(&word, from, sizeof word);
    std::memcpy(out, &word, sizeof word);
    from += step;
    out += step;
  } while (out < end);
}

InflateResult decode_codes(Inflate& state, const std::uint8_t* begin, std::uint8_t*& target,
                           const std::uint8_t* stop) {
  constexpr std::uint32_t kLook = (1U << kLengthLookBits) - 1;
  Bits bits = bits_of(state);
  std::uint8_t* out = target;
  const std::uint8_t* const furthest = state.end + 8;  // all bits behind it are no data
  InflateResult result = InflateResult::kMore;
  while (out < stop) {
    if (bits.next > furthest) {
      result = InflateResult::kTruncated;
      break;
    }
    bits.refill();
    std::uint32_t entry = state.lengths[bits.acc & kLook];
    if ((entry & kLiteral) != 0) {
      bits.consume(entry & 0xff);
      *out++ = static_cast<std::uint8_t>(entry >> 16);
      entry = state.lengths[bits.acc & kLook];
      if ((entry & kLiteral) != 0) {
        bits.consume(entry & 0xff);
        *out++ = static_cast<std::uint8_t>(entry >> 16);
        entry = state.lengths[bits.acc & kLook];
        if ((entry & kLiteral) != 0) {
          bits.consume(entry & 0xff);
          *out++ = static_cast<std::uint8_t>(entry >> 16);
          continue;
        }
      }
      bits.refill();  // what was looked at is still there
    }
    if ((entry & kSpecial) != 0) {
      if ((entry & kLonger) == kLonger) {
        bits.consume(entry & 0xff);
        entry = state.lengths[(entry >> 16) + bits.peek(static_cast<int>(entry >> 8 & 15))];
        if ((entry & kLiteral) != 0) {
          bits.consume(entry & 0xff);
          *out++ = static_cast<std::uint8_t>(entry >> 16);
          continue;
        }
      }
      if ((entry & kEndOfBlock) == kEndOfBlock) {
        bits.consume(entry & 0xff);
        state.stage = InflateStage::kBlock;
        break;
      }
      if ((entry & kNoCode) == kNoCode) {
        result = InflateResult::kCorrupt;
        break;
      }
    }
    const std::uint32_t length =
        (entry >> 16) + (bits.peek(static_cast<int>(entry & 0xff)) >> (entry >> 8 & 15));
    bits.consume(entry & 0xff);
    entry = state.distances[bits.peek(kDistanceLookBits)];
    if ((entry & kLonger) == kLonger) {
      bits.consume(entry & 0xff);
      entry = state.distances[(entry >> 16) + bits.peek(static_cast<int>(entry >> 8 & 15))];
    }
    const std::uint32_t distance =
        (entry >> 16) + (bits.peek(static_cast<int>(entry & 0xff)) >> (entry >> 8 & 15));
    bits.consume(entry & 0xff);
    if ((entry & kSpecial) != 0 || distance > static_cast<std::size_t>(out - begin)) {
      result = InflateResult::kCorrupt;
      break;
    }
    copy_back(out, distance, length);
    out += length;
  }
  if (bits.is_beyond(state.end)) result = InflateResult::kTruncated;
  keep(bits, state);
  target = out;
  return result;
}

}  // namespace

InflateResult inflate(Inflate& state, const std::uint8_t* begin, std::uint8_t*& out,
                      const std::uint8_t* stop) {
  InflateResult result = InflateResult::kMore;
  while (result == InflateResult::kMore && (out < stop || state.stage == InflateStage::kBlock)) {
    switch (state.stage) {
      case InflateStage::kBlock:
        result = open_block(state);
        break;
      case InflateStage::kStored:
        result = copy_stored(state, out, stop);
        break;
      case InflateStage::kCodes:
        result = decode_codes(state, begin, out, stop);
        break;
      case InflateStage::kEnd:
        result = InflateResult::kEnd;
        break;
    }
  }
  return result;
}

}  // namespace flatout::data::FLATOUT_ISA
