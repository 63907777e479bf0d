// Characters that JSON writes as \uXXXX.
#pragma once

#include <cstdint>
#include <string>

namespace flatout::trace {

constexpr std::uint32_t kReplacement = 0xFFFD;  // in place of what is no character

constexpr bool is_high_surrogate(std::uint32_t code) { return code >= 0xD800 && code < 0xDC00; }
constexpr bool is_low_surrogate(std::uint32_t code) { return code >= 0xDC00 && code < 0xE000; }

constexpr std::uint32_t from_surrogates(std::uint32_t high, std::uint32_t low) {
  if (!is_low_surrogate(low)) return kReplacement;
  return 0x10000 + ((high - 0xD800) << 10) + (low - 0xDC00);
}

inline void append_utf8(std::string& text, std::uint32_t code) {
  if (is_high_surrogate(code) || is_low_surrogate(code)) code = kReplacement;
  const auto tail = [&text](std::uint32_t bits) {
    text += static_cast<char>(0x80 | (bits & 0x3F));
  };
  if (code < 0x80) {
    text += static_cast<char>(code);
  } else if (code < 0x800) {
    text += static_cast<char>(0xC0 | code >> 6);
    tail(code);
  } else if (code < 0x10000) {
    text += static_cast<char>(0xE0 | code >> 12);
    tail(code >> 6);
    tail(code);
  } else {
    text += static_cast<char>(0xF0 | code >> 18);
    tail(code >> 12);
    tail(code >> 6);
    tail(code);
  }
}

}  // namespace flatout::trace
