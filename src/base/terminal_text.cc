#include "base/terminal_text.h"

#include <algorithm>
#include <span>
#include <vector>

#include "base/width_table.h"

namespace flatout::base {
namespace {

constexpr std::uint32_t kMalformed = 0xffffffff;

// The character that begins at `at`, which moves behind it; kMalformed for a byte that begins none.
std::uint32_t next_code(std::string_view text, std::size_t& at) {
  const auto byte = [&](std::size_t i) { return static_cast<unsigned char>(text[i]); };
  const std::uint32_t first = byte(at++);
  if (first < 0x80) return first;
  const std::size_t more = first >= 0xf0 ? 3 : first >= 0xe0 ? 2 : first >= 0xc2 ? 1 : 0;
  if (more == 0 || first > 0xf4 || at + more > text.size()) return kMalformed;
  std::uint32_t code = first & (0x3fU >> more);
  for (std::size_t i = 0; i < more; ++i) {
    if ((byte(at + i) & 0xc0U) != 0x80) return kMalformed;
    code = (code << 6U) | (byte(at + i) & 0x3fU);
  }
  constexpr std::uint32_t kLeast[] = {0, 0x80, 0x800, 0x10000};
  const bool surrogate = code >= 0xd800 && code <= 0xdfff;
  if (code < kLeast[more] || code > 0x10ffff || surrogate) return kMalformed;
  at += more;
  return code;
}

bool in(std::span<const CodeRange> ranges, std::uint32_t code) {
  const auto after = std::ranges::upper_bound(ranges, code, {}, &CodeRange::first);
  return after != ranges.begin() && code <= std::prev(after)->last;
}

std::size_t width_of(std::uint32_t code) {
  if (code < 0xa0) return 1;
  if (in(kNoColumn, code)) return 0;
  return in(kTwoColumns, code) ? 2 : 1;
}

bool steers(std::uint32_t code) {
  const bool control = code < 0x20 || (code >= 0x7f && code < 0xa0);
  const bool direction = code == 0x200e || code == 0x200f || (code >= 0x2028 && code <= 0x202e);
  const bool hidden = (code >= 0x2060 && code <= 0x206f) || code == 0xfeff;
  return control || direction || hidden;
}

}  // namespace

std::string terminal_text(std::string_view text, bool unicode) {
  std::string out;
  out.reserve(text.size());
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t begin = at;
    const std::uint32_t code = next_code(text, at);
    if (code == kMalformed || (code >= 0xa0 && !unicode && !steers(code))) {
      out += '?';
    } else if (steers(code)) {
      out += ' ';
    } else {
      out += text.substr(begin, at - begin);
    }
  }
  return out;
}

std::size_t next_character(std::string_view text, std::size_t at) {
  next_code(text, at);
  return at;
}

std::size_t display_width(std::string_view text) {
  std::size_t columns = 0;
  for (std::size_t at = 0; at < text.size();) columns += width_of(next_code(text, at));
  return columns;
}

std::string shorten_to(std::string_view text, std::size_t columns) {
  constexpr std::string_view kCut = "...";
  if (display_width(text) <= columns) return std::string(text);
  if (columns <= kCut.size()) return std::string(kCut.substr(0, columns));
  const std::size_t room = columns - kCut.size();
  const std::size_t head_room = room / 2;
  std::size_t head = 0;  // bytes
  std::size_t used = 0;
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t width = width_of(next_code(text, at));
    if (used + width > head_room) break;
    used += width;
    head = at;
  }
  // The longest end that fits beside it, from where a character with a column begins.
  std::size_t left = display_width(text.substr(head));
  std::size_t tail = head;
  while (left > room - used) {
    left -= width_of(next_code(text, tail));
    std::size_t after = tail;
    while (after < text.size() && width_of(next_code(text, after)) == 0) tail = after;
  }
  return std::string(text.substr(0, head)).append(kCut).append(text.substr(tail));
}

std::string padded_to(std::string text, std::size_t columns) {
  const std::size_t width = display_width(text);
  if (width < columns) text.append(columns - width, ' ');
  return text;
}

}  // namespace flatout::base
