#include "record/json_string.h"

#include <charconv>
#include <cstdint>

namespace flatout::record {
namespace {

// Bytes of the UTF-8 character at the start of `text`, 0 where there is none
// (also for overlong forms, surrogates and what lies beyond Unicode).
std::size_t utf8_length(std::string_view text) {
  const auto byte = [&](std::size_t i) { return static_cast<unsigned char>(text[i]); };
  const unsigned first = byte(0);
  if (first < 0x80) return 1;
  const std::size_t size = first >= 0xF0 ? 4 : first >= 0xE0 ? 3 : 2;
  if (first < 0xC2 || first > 0xF4 || text.size() < size) return 0;
  for (std::size_t i = 1; i < size; ++i) {
    if ((byte(i) & 0xC0U) != 0x80U) return 0;
  }
  const unsigned second = byte(1);
  const bool bad = (first == 0xE0 && second < 0xA0) || (first == 0xED && second >= 0xA0) ||
                   (first == 0xF0 && second < 0x90) || (first == 0xF4 && second >= 0x90);
  return bad ? 0 : size;
}

}  // namespace

std::string json_quote(std::string_view text) {
  constexpr std::string_view kHex = "0123456789abcdef";
  std::string out = "\"";
  while (!text.empty()) {
    const std::size_t size = utf8_length(text);
    const char c = text.front();
    if (size == 0) {
      out += '?';
    } else if (c == '"' || c == '\\') {
      out += '\\';
      out += c;
    } else if (static_cast<unsigned char>(c) < 0x20) {
      out += "\\u00";
      out += kHex[static_cast<unsigned char>(c) >> 4U];
      out += kHex[static_cast<unsigned char>(c) & 0xFU];
    } else {
      out += text.substr(0, size);
    }
    text.remove_prefix(size == 0 ? 1 : size);
  }
  return out += '"';
}

std::optional<std::string> json_unquote(std::string_view literal) {
  if (literal.size() < 2 || literal.front() != '"' || literal.back() != '"') return std::nullopt;
  literal = literal.substr(1, literal.size() - 2);
  std::string out;
  while (!literal.empty()) {
    const char c = literal.front();
    if (c == '"') return std::nullopt;
    if (c != '\\') {
      out += c;
      literal.remove_prefix(1);
    } else if (literal.size() >= 2 && (literal[1] == '"' || literal[1] == '\\')) {
      out += literal[1];
      literal.remove_prefix(2);
    } else if (literal.size() >= 6 && literal.starts_with("\\u00")) {
      std::uint8_t code = 0;
      const char* end = literal.data() + 6;
      if (std::from_chars(literal.data() + 4, end, code, 16).ptr != end) return std::nullopt;
      if (code >= 0x80) return std::nullopt;
      out += static_cast<char>(code);
      literal.remove_prefix(6);
    } else {
      return std::nullopt;
    }
  }
  return out;
}

}  // namespace flatout::record
