// The kernel's text files: words separated by blanks, numbers in decimal. Pure.
#pragma once

#include <optional>
#include <string_view>

#include "base/number_text.h"

namespace flatout::host {

// Cuts the next line off `text`, without its newline. False at the end.
inline bool next_line(std::string_view& text, std::string_view& line) {
  if (text.empty()) return false;
  const auto end = text.find('\n');
  line = text.substr(0, end);
  text = end == std::string_view::npos ? std::string_view{} : text.substr(end + 1);
  return true;
}

// Cuts the next word off `text`; "" when there is none.
inline std::string_view next_word(std::string_view& text) {
  const auto begin = text.find_first_not_of(" \t\n");
  if (begin == std::string_view::npos) {
    text = {};
    return {};
  }
  text.remove_prefix(begin);
  const auto end = text.find_first_of(" \t\n");
  const auto word = text.substr(0, end);
  text = end == std::string_view::npos ? std::string_view{} : text.substr(end);
  return word;
}

using base::parse_number;

template <typename Number>
std::optional<Number> next_number(std::string_view& text) {
  return parse_number<Number>(next_word(text));
}

// The number after the word `key` at the start of a line: "MemTotal: 12 kB",
// "throttled_usec 34".
template <typename Number>
std::optional<Number> keyed_number(std::string_view text, std::string_view key) {
  std::string_view line;
  while (next_line(text, line)) {
    if (next_word(line) == key) return next_number<Number>(line);
  }
  return std::nullopt;
}

}  // namespace flatout::host
