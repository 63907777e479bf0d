#include "report/style.h"

#include <algorithm>
#include <array>

#include "base/terminal_text.h"

namespace flatout::report {
namespace {

constexpr char kFirstMark = '\x10';
constexpr std::array<std::string_view, 5> kColours = {"\x1b[1m", "\x1b[1;31m", "\x1b[32m",
                                                      "\x1b[33m", "\x1b[2m"};
constexpr std::string_view kNoColour = "\x1b[0m";

}  // namespace

bool is_mark(char c) { return c >= kFirstMark && c <= kToneEnds; }

std::string cleaned(std::string_view text, const Style& style) {
  return base::terminal_text(text, style.unicode);
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

// base counts a mark as one column.
std::size_t width_of(std::string_view text) {
  const auto marks = static_cast<std::size_t>(std::ranges::count_if(text, is_mark));
  return base::display_width(text) - marks;
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
  constexpr std::size_t kCut = 3;  // "..."
  if (columns > kCut || base::display_width(text) <= columns) {
    return base::shorten_to(text, columns);
  }
  std::size_t end = 0;
  for (std::size_t next = 0; base::display_width(text.substr(0, next)) <= columns;) {
    end = next;
    next = base::next_character(text, next);
  }
  return std::string(text.substr(0, end));
}

}  // namespace flatout::report
