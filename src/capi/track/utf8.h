// Characters of UTF-8. Pure.
#pragma once

#include <cstddef>

namespace flatout::capi {

// Bytes of the character that begins there; 0 where none does (too long forms, halves of pairs and
// what lies beyond U+10FFFF are none).
inline std::size_t utf8_length(const char* text, std::size_t bytes) {
  const auto at = [&](std::size_t i) { return static_cast<unsigned char>(text[i]); };
  const auto goes_on = [&](std::size_t i, unsigned char least = 0x80, unsigned char most = 0xbf) {
    return i < bytes && at(i) >= least && at(i) <= most;
  };
  if (bytes == 0) return 0;
  const unsigned char c = at(0);
  if (c < 0x80) return 1;
  if (c < 0xc2 || c > 0xf4) return 0;
  if (c < 0xe0) return goes_on(1) ? 2 : 0;
  if (c < 0xf0) {
    const bool second = goes_on(1, c == 0xe0 ? 0xa0 : 0x80, c == 0xed ? 0x9f : 0xbf);
    return second && goes_on(2) ? 3 : 0;
  }
  const bool second = goes_on(1, c == 0xf0 ? 0x90 : 0x80, c == 0xf4 ? 0x8f : 0xbf);
  return second && goes_on(2) && goes_on(3) ? 4 : 0;
}

}  // namespace flatout::capi
