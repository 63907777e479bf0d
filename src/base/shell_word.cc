#include "base/shell_word.h"

#include <cstdio>

#include "base/terminal_text.h"

namespace flatout::base {
namespace {

bool is_plain(std::string_view word) {
  return !word.empty() &&
         word.find_first_not_of(
             "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_-+=.,:/@%") ==
             std::string_view::npos;
}

std::string escaped(std::string_view word) {
  std::string out = "$'";
  for (const char c : word) {
    char octal[8];
    std::snprintf(octal, sizeof octal, "\\%03o", static_cast<unsigned char>(c));
    const bool shown = c >= ' ' && c < '\x7f' && c != '\'' && c != '\\';
    out += shown ? std::string(1, c) : std::string(octal);
  }
  return out + "'";
}

}  // namespace

std::string shell_word(std::string_view word) {
  if (is_plain(word)) return std::string(word);
  std::string out = "'";
  for (const char c : word) out += c == '\'' ? std::string("'\\''") : std::string(1, c);
  return out + "'";
}

std::string shown_shell_word(std::string_view word, bool unicode) {
  return terminal_text(word, unicode) == word ? shell_word(word) : escaped(word);
}

std::string shown_shell_line(std::string_view line, bool unicode) {
  std::string out;
  while (!line.empty()) {
    const std::size_t open = line.find('\'');
    const std::string_view before = line.substr(0, open);
    out += terminal_text(before, unicode);
    if (open == std::string_view::npos) return out;
    line.remove_prefix(open + 1);
    if (before.ends_with('\\')) {  // the quote is a character of the word
      out += '\'';
      continue;
    }
    const std::size_t close = line.find('\'');
    const std::string_view quoted = line.substr(0, close);
    if (close == std::string_view::npos) return out + '\'' + terminal_text(quoted, unicode);
    const bool as_is = terminal_text(quoted, unicode) == quoted;
    out += as_is ? '\'' + std::string(quoted) + '\'' : escaped(quoted);
    line.remove_prefix(close + 1);
  }
  return out;
}

}  // namespace flatout::base
