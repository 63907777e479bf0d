// Huffman decoding of MCUs: the innermost loop of the decoder, where most of its time goes.
#include <cstring>

#include "data/decode/jpeg/idct.h"
#include "data/decode/jpeg/idct_scaled.h"
#include "data/decode/jpeg/kernels.h"
#include "data/decode/jpeg/kernels_parts.h"

namespace flatout::data::FLATOUT_ISA {
namespace {

constexpr int kDamaged = 1 << 20;  // a difference that no DC value has
// DC values of 8-bit samples are a fraction of this; a predictor beyond it can only have been
// damaged.
constexpr int kLargestDc = 8191;
constexpr int kLargestSingle = 4080;

// At least 56 bits are in `acc` afterwards. What lies below the counted bits is what follows in the
// data, so that adding the same bytes again changes nothing ("variant 4" of F. Giesen, Reading bits
// in far too many ways, part 2, 2018).
inline void refill(BitPlace& bits) {
  std::uint64_t word = 0;
  std::memcpy(&word, bits.next, sizeof word);
  bits.acc |= __builtin_bswap64(word) >> bits.count;
  bits.next += (63 - bits.count) >> 3;
  bits.count |= 56;
}

inline void consume(BitPlace& bits, int n) {
  bits.acc <<= n & 63;
  bits.count -= n;
}

// The slow ways below take the place and give it back by value, so that the fast ones may keep it
// in registers.

// With the last n consumed bits put back.
[[gnu::noinline]] BitPlace given_back(BitPlace bits, int n) {
  const int unread = bits.count + n;
  const int bytes = (unread + 7) / 8;
  bits.next -= bytes;
  bits.acc = 0;
  bits.count = 0;
  refill(bits);
  consume(bits, 8 * bytes - unread);
  return bits;
}

struct Symbol {
  BitPlace bits;
  int value;  // or -1 where the bits are no code
};

// A code of `shortest` bits or more. 40 bits remain.
inline Symbol slow_symbol(BitPlace bits, const SlowCodes& codes, int shortest) {
  refill(bits);
  const auto next = static_cast<std::uint32_t>(bits.acc >> 48);
  for (int n = shortest; n <= 16; ++n) {
    if (next >= codes.limit[n]) continue;
    consume(bits, n);
    return {bits, codes.symbols[static_cast<std::int32_t>(next >> (16 - n)) + codes.offset[n]]};
  }
  return {bits, -1};
}

// The signed value of the next `size` bits, which may be none (T.81, F.2.2.1: EXTEND). No branch:
// values are unpredictable.
inline int value_of(std::uint64_t acc, int size) {
  const auto bits = static_cast<std::int64_t>(acc >> 1 >> (63 - size));
  const std::int64_t negative =
      ~static_cast<std::int64_t>(acc) >> 63;  // all ones where the first bit is zero
  return static_cast<int>(bits + (negative & (1 - (std::int64_t{1} << size))));
}

inline int receive(BitPlace& bits, int size) {
  const int value = value_of(bits.acc, size);
  consume(bits, size);
  return value;
}

[[gnu::noinline]] Symbol slow_dc_difference(BitPlace bits, const DcTable& table) {
  Symbol size = slow_symbol(bits, table.slow, kDcLookBits + 1);
  if (size.value < 0) return {size.bits, kDamaged};
  const int value = receive(size.bits, size.value);
  return {size.bits, value};
}

// The next DC difference, or kDamaged.
inline int dc_difference(BitPlace& bits, const DcTable& table) {
  const unsigned look = table.looks[bits.acc >> (64 - kDcLookBits)];
  refill(bits);
  if (look != 0) [[likely]] {
    const int value = value_of(bits.acc << (look >> 10), static_cast<int>(look >> 6 & 15));
    consume(bits, static_cast<int>(look & 63));
    return value;
  }
  const Symbol difference = slow_dc_difference(bits, table);
  bits = difference.bits;
  return difference.value;
}

// Places in zigzag order to indices of CoefficientPair. Damaged data lead up to 31 places beyond
// the last one, where nobody reads; the rest is there so that pointers which count to a block's end
// stay within the table.
struct Places {
  std::uint8_t at[64 + kEndOfBlock + 64];
  constexpr Places() : at() {
    for (int i = 0; i < 64 + kEndOfBlock + 64; ++i) {
      at[i] = i < 64 ? static_cast<std::uint8_t>(kZigzag[i] / 8 * 16 + kZigzag[i] % 8)
                     : CoefficientPair::kNowhere;
    }
  }
};
constexpr Places kPlaces;

// A place in the block, between symbols.
using Place = const std::uint8_t*;
constexpr Place kFirst = kPlaces.at;
constexpr Place kFull = kFirst + 64;

struct Step {
  BitPlace bits;
  Place place;  // after the symbol, kEndOfBlock further where the block ends; null where it is none
                // or leads beyond the block
};

// One symbol by the slow way, whose code has `shortest` bits or more. 30 bits remain.
template <bool kStore>
[[gnu::noinline]] Step slow_step(BitPlace bits, const AcTable& table, std::int16_t* values,
                                 Place place, int shortest) {
  Symbol symbol = slow_symbol(bits, table.slow, shortest);
  if (symbol.value < 0) return {symbol.bits, nullptr};
  const int run = symbol.value >> 4;
  const int size = symbol.value & 15;
  if (size == 0 && run != 15) return {symbol.bits, place + kEndOfBlock};
  place += run;
  if (place >= kFull) return {symbol.bits, nullptr};
  const int value = receive(symbol.bits, size);
  if (kStore) values[*place] = static_cast<std::int16_t>(value);
  return {symbol.bits, place + 1};
}

// Where a look led to is no place: its last symbols are not of this block, or the data are damaged.
// Goes back to where it began and on symbol by symbol.
template <bool kStore>
[[gnu::noinline]] Step last_steps(BitPlace bits, const AcTable& table, std::int16_t* values,
                                  Place place, int length) {
  Step step = {given_back(bits, length), place};
  while (step.place != nullptr && step.place < kFull)
    step = slow_step<kStore>(step.bits, table, values, step.place, 1);
  return step;
}

// Whether a block can end here: it is full, or its end was coded.
inline bool is_end(Place place) {
  return place == kFull || (place > kFirst + kEndOfBlock && place < kFull + kEndOfBlock);
}

// What the inner loops count on when a block begins, so that a look need not wait for a refill: it
// is made before.
constexpr int kBitsBefore = kSkipLookBits;
static_assert(kBitsBefore >= kDcLookBits && kBitsBefore >= kAcLookBits);
static_assert(56 - 2 * kMostLookBits >= kBitsBefore && 56 - 2 * kMostSkipBits >= kBitsBefore,
              "two looks between refills");
static_assert(56 - 16 - kMaxDcSize >= kBitsBefore, "after the slow ways");

// Reads a block's AC values with the looks of `looks`, an AcTable's or a SkipTable's. Gives the
// place that it came to, as Step does.
template <bool kStore, int kLookBits, typename Look>
inline Place ac_values(BitPlace& in_out, const Look* looks, const AcTable& table,
                       std::int16_t* values) {
  BitPlace bits = in_out;
  Place place = kFirst + 1;
  const Look* look = nullptr;
  for (;;) {
    look = looks + (bits.acc >> (64 - kLookBits));
    refill(bits);
#pragma GCC unroll 2
    for (int i = 0; i < 2; ++i) {
      if (i > 0) look = looks + (bits.acc >> (64 - kLookBits));
      if (look->length == 0) [[unlikely]] {
        const Step step =
            slow_step<kStore>(bits, table, values, place, kStore ? kLookBits : kLookBits + 1);
        bits = step.bits;
        place = step.place;
        if (place == nullptr || place >= kFull) {
          in_out = bits;
          return place;
        }
        break;
      }
      const Place next = place + look->advance;
      if constexpr (kStore) {
        values[next[-1]] = look->second;
        values[place[look->first_place]] =
            static_cast<std::int16_t>((bits.acc >> look->shift) + look->first_base);
      }
      bits.acc <<= look->length;
      bits.count -= look->length;
      place = next;
      if (place >= kFull) goto full;
    }
  }
full:
  if (!is_end(place)) [[unlikely]] {
    const Step step = last_steps<kStore>(bits, table, values, place - look->advance, look->length);
    bits = step.bits;
    place = step.place;
  }
  in_out = bits;
  return place;
}

inline Place read_values(BitPlace& bits, const BlockTask& task, std::int16_t* values) {
  return ac_values<true, kAcLookBits>(bits, task.ac->looks, *task.ac, values);
}
inline Place skip_values(BitPlace& bits, const BlockTask& task) {
  return ac_values<false, kSkipLookBits>(bits, task.skip->looks, *task.ac, nullptr);
}

// A block of a DC value alone is the same everywhere: what the inverse DCT makes of it.
inline void fill_flat(BlockTarget target, int dc, int side) {
  const int sample = ((dc + 4) >> 3) + 128;
  const auto byte = static_cast<std::uint64_t>(sample < 0 ? 0 : sample > 255 ? 255 : sample);
  const std::uint64_t eight = byte * 0x0101010101010101ULL;
  for (int row = 0; row < side; ++row)
    std::memcpy(target.samples + row * target.stride, &eight, static_cast<std::size_t>(side));
}

inline bool fill_dc(BlockTarget target, int predictor, int side) {
  const int value = predictor * target.quant->steps[0];
  const auto dc = static_cast<std::int16_t>(value);
  fill_flat(target, dc, side);
  // libjpeg has no vector code for a single sample, and its table of clamped ones ends here.
  if (side == 1) return value <= kLargestSingle && value >= -kLargestSingle;
  return dc <= kLargestDc && dc >= -kLargestDc;
}

// Blocks on their way to the inverse DCT, which takes two at once.
class Pending {
 public:
  explicit Pending(CoefficientPair& pair) : pair_(pair) {}

  std::int16_t* values() { return pair_.values + 8 * count_; }

  // Takes the block in values(); false where the inverse DCT refuses.
  bool add(const BlockTarget& target) {
    targets_[count_++] = target;
    if (count_ < 2) return true;
    count_ = 0;
    return idct_pair(pair_, targets_);
  }

  bool flush() {
    if (count_ == 0) return true;
    std::uint8_t unused[64];
    return add({targets_[0].quant, unused, 8});
  }

 private:
  CoefficientPair& pair_;
  BlockTarget targets_[2] = {};
  std::ptrdiff_t count_ = 0;
};

// Decodes one block; false where the data are damaged.
template <bool kScaled>
inline bool decode_block(BitPlace& bits, const BlockTask& task, int column, Pending& pending) {
  const int side = kScaled ? task.side : 8;
  const int predictor = *task.predictor + dc_difference(bits, *task.dc);
  if (predictor > kLargestDc || predictor < -kLargestDc) return false;
  *task.predictor = predictor;
  if (column < task.first_column || column >= task.last_column)
    return skip_values(bits, task) != nullptr;
  const BlockTarget target = {
      task.quant, task.samples + std::ptrdiff_t{side} * (column - task.first_column), task.stride};
  if (kScaled && side == 1) {
    if (skip_values(bits, task) == nullptr) return false;
    return fill_dc(target, predictor, side);
  }
  std::int16_t* values = pending.values();
  const Place place = read_values(bits, task, values);
  if (place == nullptr) return false;
  if (place == kFirst + 1 + kEndOfBlock) return fill_dc(target, predictor, side);
  values[0] = static_cast<std::int16_t>(predictor);
  if (kScaled && side != 8) return idct_scaled(values, target, side);
  return pending.add(target);
}

template <bool kScaled>
int decode_run(McuRun& run) {
  BitPlace bits = run.place;
  refill(bits);
  Pending pending(*run.pair);
  int mcu = run.mcu;
  bool good = true;
  for (; mcu < run.end && bits.next <= run.last_begin; ++mcu) {
    for (int i = 0; i < run.task_count; ++i) {
      const BlockTask& task = run.tasks[i];
      good &= decode_block<kScaled>(bits, task, mcu * task.blocks_per_mcu + task.offset, pending);
    }
    if (!good) [[unlikely]]
      break;
  }
  good &= pending.flush();
  if (!good) std::memset(run.pair->values, 0, sizeof run.pair->values);
  run.place = bits;
  return good ? mcu : -1;
}

}  // namespace

int decode_mcus(McuRun& run) { return run.scaled ? decode_run<true>(run) : decode_run<false>(run); }

}  // namespace flatout::data::FLATOUT_ISA
