// The tables of a DEFLATE block's codes (RFC 1951), for inflate.cc alone, which is compiled once an
// instruction set.
#pragma once

#include <cstdint>

#include "data/decode/png/inflate.h"

namespace flatout::data::FLATOUT_ISA {
namespace {

// An entry of a table: how many bits to consume with those of the value behind the code (bits 0 to
// 7), the code's own bits (8 to 11), what it is (12 to 15), the value (16 to 30).
constexpr std::uint32_t kLiteral = 1U << 31;
constexpr std::uint32_t kSpecial = 1U << 15;  // one of the next three
constexpr std::uint32_t kLonger = kSpecial | 1U << 12;
constexpr std::uint32_t kEndOfBlock = kSpecial | 1U << 13;
constexpr std::uint32_t kNoCode = kSpecial | 1U << 14;

constexpr int kMostBits = 15;
constexpr int kEndSymbol = 256;
constexpr std::size_t kMostLengthCodes = 286;
constexpr std::size_t kMostDistanceCodes = 30;

// Of symbols 257 to 285, and of distances 0 to 29: the first value and its further bits
// (RFC 1951, 3.2.5).
struct Values {
  std::uint16_t base;
  std::uint8_t bits;
};
constexpr Values kLengthValues[29] = {
    {3, 0},  {4, 0},  {5, 0},  {6, 0},   {7, 0},   {8, 0},   {9, 0},   {10, 0},  {11, 1}, {13, 1},
    {15, 1}, {17, 1}, {19, 2}, {23, 2},  {27, 2},  {31, 2},  {35, 3},  {43, 3},  {51, 3}, {59, 3},
    {67, 4}, {83, 4}, {99, 4}, {115, 4}, {131, 5}, {163, 5}, {195, 5}, {227, 5}, {258, 0}};
constexpr Values kDistanceValues[30] = {
    {1, 0},     {2, 0},     {3, 0},     {4, 0},      {5, 1},      {7, 1},
    {9, 2},     {13, 2},    {17, 3},    {25, 3},     {33, 4},     {49, 4},
    {65, 5},    {97, 5},    {129, 6},   {193, 6},    {257, 7},    {385, 7},
    {513, 8},   {769, 8},   {1025, 9},  {1537, 9},   {2049, 10},  {3073, 10},
    {4097, 11}, {6145, 11}, {8193, 12}, {12289, 12}, {16385, 13}, {24577, 13}};

std::uint32_t shifted(unsigned value, int by) { return static_cast<std::uint32_t>(value) << by; }

std::uint32_t valued(const Values& values, int code_bits) {
  const auto bits = static_cast<unsigned>(code_bits);
  return shifted(values.base, 16) | shifted(bits, 8) | (bits + values.bits);
}

// The entry of a symbol whose code has `bits` bits left to look at.
std::uint32_t length_entry(int symbol, int bits) {
  if (symbol < kEndSymbol)
    return kLiteral | shifted(static_cast<unsigned>(symbol), 16) | static_cast<unsigned>(bits);
  if (symbol == kEndSymbol) return kEndOfBlock | static_cast<unsigned>(bits);
  return symbol < 286 ? valued(kLengthValues[symbol - 257], bits) : kNoCode;
}
std::uint32_t distance_entry(int symbol, int bits) {
  return symbol < 30 ? valued(kDistanceValues[symbol], bits) : kNoCode;
}
std::uint32_t plain_entry(int symbol, int bits) {
  return shifted(static_cast<unsigned>(symbol), 16) | static_cast<unsigned>(bits);
}

unsigned reversed(unsigned code, int bits) {
  unsigned out = 0;
  for (int i = 0; i < bits; ++i) out |= (code >> i & 1) << (bits - 1 - i);
  return out;
}

// Symbols by the length of their codes, then by their number: the order of the codes themselves.
struct Order {
  std::uint16_t symbols[288];
  std::uint16_t codes[288];  // reversed, as they lie in the data
  std::uint8_t bits[288];
  int count = 0;
};

// False where the lengths are no code: more codes than there is room for, or room that is left,
// but for a single code of one bit, or none at all.
bool put_in_order(const std::uint8_t* lengths, int symbols, bool may_be_single, Order& order) {
  unsigned count[kMostBits + 1] = {};
  for (int i = 0; i < symbols; ++i) ++count[lengths[i]];
  count[0] = 0;
  unsigned first[kMostBits + 2] = {};  // code of this length
  unsigned place[kMostBits + 2] = {};
  int room = 1;
  int longest = 0;
  for (int bits = 1; bits <= kMostBits; ++bits) {
    room = 2 * room - static_cast<int>(count[bits]);
    if (room < 0) return false;
    if (count[bits] != 0) longest = bits;
    first[bits + 1] = (first[bits] + count[bits]) << 1;
    place[bits + 1] = place[bits] + count[bits];
  }
  if (room > 0 && longest != 0 && !(may_be_single && longest == 1)) return false;
  order.count = static_cast<int>(place[kMostBits + 1]);
  for (int i = 0; i < symbols; ++i) {
    const int bits = lengths[i];
    if (bits == 0) continue;
    const unsigned at = place[bits]++;
    order.symbols[at] = static_cast<std::uint16_t>(i);
    order.bits[at] = static_cast<std::uint8_t>(bits);
    order.codes[at] = static_cast<std::uint16_t>(reversed(first[bits]++, bits));
  }
  return true;
}

using EntryOf = std::uint32_t (*)(int symbol, int bits);

// The codes from `at` on that share their first `look` bits, into a table of their own at `*used`.
// Gives the first code behind them, or -1 where there is no room.
int add_longer(const Order& order, int at, int look, EntryOf entry, std::uint32_t* table, int* used,
               int capacity) {
  const unsigned mask = (1U << look) - 1;
  const unsigned prefix = order.codes[at] & mask;
  int end = at;
  while (end < order.count && (order.codes[end] & mask) == prefix) ++end;
  const int depth = order.bits[end - 1] - look;
  if (*used + (1 << depth) > capacity) return -1;
  std::uint32_t* inside = table + *used;
  table[prefix] = kLonger | shifted(static_cast<unsigned>(*used), 16) |
                  shifted(static_cast<unsigned>(depth), 8) | static_cast<unsigned>(look);
  for (; at < end; ++at) {
    const int bits = order.bits[at] - look;
    const std::uint32_t value = entry(order.symbols[at], bits);
    for (unsigned i = order.codes[at] >> look; i < 1U << depth; i += 1U << bits) inside[i] = value;
  }
  *used += 1 << depth;
  return end;
}

bool make_table(const std::uint8_t* lengths, int symbols, bool may_be_single, int look,
                EntryOf entry, std::uint32_t* table, int capacity) {
  Order order;
  if (!put_in_order(lengths, symbols, may_be_single, order)) return false;
  const int size = 1 << look;
  int at = 0;
  if (order.count < 2) {
    for (int i = 0; i < size; ++i) table[i] = kNoCode;
  }
  for (; at < order.count && order.bits[at] <= look; ++at) {
    const std::uint32_t value = entry(order.symbols[at], order.bits[at]);
    for (int i = order.codes[at]; i < size; i += 1 << order.bits[at]) table[i] = value;
  }
  int used = size;
  while (at >= 0 && at < order.count)
    at = add_longer(order, at, look, entry, table, &used, capacity);
  return at >= 0;
}

}  // namespace
}  // namespace flatout::data::FLATOUT_ISA
