// Variable-length integers of the log's columns: 7 bits a byte, lowest first,
// the top bit says that more follow; signed ones are folded (0, -1, 1, -2 ...)
// first. Differences are taken modulo 2^64, so that no input overflows.
#pragma once

#include <cstdint>
#include <cstring>
#include <string>
#include <string_view>

namespace flatout::store {

// 2^53: whole numbers up to it are the same as integers and as doubles.
constexpr double kExactInteger = 9007199254740992.0;

inline void put_varint(std::string& out, std::uint64_t value) {
  while (value >= 0x80) {
    out.push_back(static_cast<char>((value & 0x7f) | 0x80));
    value >>= 7;
  }
  out.push_back(static_cast<char>(value));
}

constexpr std::uint64_t fold(std::int64_t value) {
  return (static_cast<std::uint64_t>(value) << 1) ^ static_cast<std::uint64_t>(value >> 63);
}
constexpr std::int64_t unfold(std::uint64_t value) {
  return static_cast<std::int64_t>((value >> 1) ^ (~(value & 1) + 1));
}

inline void put_signed(std::string& out, std::int64_t value) { put_varint(out, fold(value)); }

// value - base, wrapping.
constexpr std::int64_t difference(std::int64_t value, std::int64_t base) {
  return static_cast<std::int64_t>(static_cast<std::uint64_t>(value) -
                                   static_cast<std::uint64_t>(base));
}
constexpr std::int64_t sum(std::int64_t base, std::int64_t delta) {
  return static_cast<std::int64_t>(static_cast<std::uint64_t>(base) +
                                   static_cast<std::uint64_t>(delta));
}

// Reads from bytes that may be anything. After the first thing that does not
// fit, ok() is false and every read gives 0.
class ByteReader {
 public:
  explicit ByteReader(std::string_view bytes) : rest_(bytes) {}
  bool ok() const { return ok_; }
  bool at_end() const { return rest_.empty(); }
  std::size_t left() const { return rest_.size(); }

  std::uint8_t byte() {
    if (!take(1)) return 0;
    const auto value = static_cast<std::uint8_t>(rest_.front());
    rest_.remove_prefix(1);
    return value;
  }

  std::uint64_t varint() {
    std::uint64_t value = 0;
    for (int shift = 0; shift < 64; shift += 7) {
      const std::uint64_t bits = byte();
      if (shift == 63 && bits > 1) break;
      value |= (bits & 0x7f) << shift;
      if (bits < 0x80) return ok_ ? value : 0;
    }
    ok_ = false;
    return 0;
  }

  std::int64_t signed_varint() { return unfold(varint()); }

  // A varint that must be at most `most`.
  std::uint64_t at_most(std::uint64_t most) {
    const std::uint64_t value = varint();
    if (value > most) ok_ = false;
    return ok_ ? value : 0;
  }

  std::uint32_t u32() { return static_cast<std::uint32_t>(at_most(UINT32_MAX)); }

  // A count of things of which each takes at least `least_bytes` of the rest.
  std::size_t count(std::size_t least_bytes) {
    return static_cast<std::size_t>(at_most(rest_.size() / least_bytes));
  }

  std::string_view bytes(std::size_t n) {
    if (!take(n)) return {};
    const auto out = rest_.substr(0, n);
    rest_.remove_prefix(n);
    return out;
  }

 private:
  bool take(std::size_t n) {
    ok_ = ok_ && n <= rest_.size();
    return ok_;
  }

  std::string_view rest_;
  bool ok_ = true;
};

}  // namespace flatout::store
