#include "report/style.h"

#include <algorithm>
#include <array>
#include <utility>

namespace flatout::report {
namespace {

constexpr char kFirstMark = '\x10';
constexpr std::array<std::string_view, 5> kColours = {"\x1b[1m", "\x1b[1;31m", "\x1b[32m",
                                                      "\x1b[33m", "\x1b[2m"};
constexpr std::string_view kNoColour = "\x1b[0m";

struct Character {
  std::size_t bytes = 1;
  char32_t code = 0;
  bool valid = false;
};

// Strict: no overlong forms, no surrogates, nothing beyond U+10FFFF.
Character character_at(std::string_view text, std::size_t at) {
  const auto byte = [&](std::size_t i) { return static_cast<unsigned char>(text[at + i]); };
  const unsigned first = byte(0);
  if (first < 0x80) return {1, first, true};
  const std::size_t size = first >= 0xf0 ? 4 : first >= 0xe0 ? 3 : first >= 0xc2 ? 2 : 0;
  if (size == 0 || first > 0xf4 || at + size > text.size()) return {};
  char32_t code = first & (0xffU >> (size + 1));
  for (std::size_t i = 1; i < size; ++i) {
    if ((byte(i) & 0xc0U) != 0x80) return {};
    code = code << 6U | (byte(i) & 0x3fU);
  }
  constexpr std::array<char32_t, 5> kLeast = {0, 0, 0x80, 0x800, 0x10000};
  const bool surrogate = code >= 0xd800 && code <= 0xdfff;
  if (code < kLeast[size] || code > 0x10ffff || surrogate) return {};
  return {size, code, true};
}

struct Range {
  char32_t first, last;
};

template <std::size_t N>
bool lies_in(char32_t code, const std::array<Range, N>& ranges) {
  return std::ranges::any_of(
      ranges, [code](const Range& range) { return code >= range.first && code <= range.last; });
}

// Zero and double width as terminals have them, the blocks that occur in names.
std::size_t columns_of(char32_t code) {
  constexpr std::array<Range, 5> kNone = {
      {{0x300, 0x36f}, {0x200b, 0x200d}, {0x20d0, 0x20ff}, {0xfe00, 0xfe0f}, {0xfe20, 0xfe2f}}};
  constexpr std::array<Range, 9> kWide = {{{0x1100, 0x115f},
                                           {0x2e80, 0xa4cf},
                                           {0xac00, 0xd7a3},
                                           {0xf900, 0xfaff},
                                           {0xfe30, 0xfe6f},
                                           {0xff00, 0xff60},
                                           {0xffe0, 0xffe6},
                                           {0x1f300, 0x1faff},
                                           {0x20000, 0x3fffd}}};
  if (code < kNone.front().first) return 1;
  if (lies_in(code, kNone)) return 0;
  return lies_in(code, kWide) ? 2 : 1;
}

// Those that steer a terminal, and those that reorder or hide what stands beside them.
bool is_control(char32_t code) {
  constexpr std::array<Range, 5> kControls = {
      {{0x80, 0x9f}, {0x200e, 0x200f}, {0x2028, 0x202e}, {0x2060, 0x206f}, {0xfeff, 0xfeff}}};
  if (code < 0x7f) return code < 0x20;
  return code == 0x7f || lies_in(code, kControls);
}

}  // namespace

bool is_mark(char c) { return c >= kFirstMark && c <= kToneEnds; }

std::string cleaned(std::string_view text, const Style& style) {
  std::string out;
  out.reserve(text.size());
  for (std::size_t at = 0; at < text.size();) {
    const Character next = character_at(text, at);
    if (next.valid && is_control(next.code)) {
      out += ' ';
    } else if (next.valid && (style.unicode || next.code < 0x80)) {
      out += text.substr(at, next.bytes);
    } else {
      out += '?';
    }
    at += next.bytes;
  }
  return out;
}

std::string to_ascii(std::string_view text) { return cleaned(text, Style()); }

std::string toned(Tone tone, std::string_view text) {
  if (text.empty()) return "";
  std::string out(1, static_cast<char>(kFirstMark + static_cast<char>(tone)));
  return out.append(text) + kToneEnds;
}

std::string finished(std::string_view line, const Style& style) {
  std::string out;
  out.reserve(line.size());
  for (const char c : line) {
    if (!is_mark(c)) {
      out += c == kNoBreak ? ' ' : c;
    } else if (style.colour) {
      const auto colour = static_cast<std::size_t>(c - kFirstMark);
      out += colour < kColours.size() ? kColours[colour] : kNoColour;
    }
  }
  return out;
}

std::size_t next_character(std::string_view text, std::size_t at) {
  return at + character_at(text, at).bytes;
}

std::size_t width_of(std::string_view text) {
  std::size_t columns = 0;
  for (std::size_t at = 0; at < text.size();) {
    const Character next = character_at(text, at);
    if (!is_mark(text[at])) columns += next.valid ? columns_of(next.code) : 1;
    at += next.bytes;
  }
  return columns;
}

std::string padded(std::string_view text, std::size_t columns) {
  std::string out(text);
  const std::size_t width = width_of(text);
  if (width < columns) out.append(columns - width, ' ');
  return out;
}

std::string padded_left(std::string_view text, std::size_t columns) {
  const std::size_t width = width_of(text);
  return std::string(width < columns ? columns - width : 0, ' ') + std::string(text);
}

std::string shorten(std::string_view text, std::size_t columns) {
  if (width_of(text) <= columns) return std::string(text);
  const std::size_t room = columns <= 3 ? columns : columns - 3;
  const std::size_t head_columns = columns <= 3 ? columns : room / 2;
  std::size_t head = 0;
  while (width_of(text.substr(0, next_character(text, head))) <= head_columns) {
    head = next_character(text, head);
  }
  if (columns <= 3) return std::string(text.substr(0, head));
  std::size_t tail = head;
  while (width_of(text.substr(tail)) > room - head_columns) tail = next_character(text, tail);
  return std::string(text.substr(0, head)) + "..." + std::string(text.substr(tail));
}

}  // namespace flatout::report
