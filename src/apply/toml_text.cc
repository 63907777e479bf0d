#include "apply/toml_text.h"

#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <nlohmann/json.hpp>

namespace flatout::apply {
namespace {

constexpr char32_t kReplacement = 0xFFFD;

// The code point at the start of `text`, which loses its bytes.
char32_t next_code_point(std::string_view& text) {
  const auto first = static_cast<unsigned char>(text.front());
  text.remove_prefix(1);
  const int more = first < 0x80    ? 0
                   : first >= 0xF0 ? 3
                   : first >= 0xE0 ? 2
                   : first >= 0xC0 ? 1
                                   : -1;
  if (more < 0 || text.size() < static_cast<std::size_t>(more)) return kReplacement;
  char32_t point = more == 0 ? first : first & (0x3FU >> more);
  for (int i = 0; i < more; ++i) {
    const auto byte = static_cast<unsigned char>(text[static_cast<std::size_t>(i)]);
    if ((byte & 0xC0U) != 0x80U) return kReplacement;
    point = (point << 6U) | (byte & 0x3FU);
  }
  text.remove_prefix(static_cast<std::size_t>(more));
  const bool scalar = point <= 0x10FFFF && (point < 0xD800 || point > 0xDFFF);
  return scalar ? point : kReplacement;
}

}  // namespace

bool is_bare_key_char(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' ||
         c == '-';
}

std::string toml_string(std::string_view utf8) {
  std::string out = "\"";
  while (!utf8.empty()) {
    const char32_t point = next_code_point(utf8);
    if (point == U'"' || point == U'\\') out += '\\';
    if (point >= 0x20 && point < 0x7F) {
      out += static_cast<char>(point);
      continue;
    }
    char escape[16];
    std::snprintf(escape, sizeof escape, point > 0xFFFF ? "\\U%08X" : "\\u%04X",
                  static_cast<unsigned>(point));
    out += escape;
  }
  return out + "\"";
}

std::string toml_value(const std::string& json) {
  const auto value = nlohmann::json::parse(json, nullptr, /*allow_exceptions=*/false);
  if (value.is_string()) return toml_string(value.get<std::string>());
  return value.is_number() || value.is_boolean() ? json : toml_string(json);
}

std::string toml_key(std::string_view knob) {
  std::string out;
  for (;;) {
    const std::size_t dot = knob.find('.');
    const std::string_view part = knob.substr(0, dot);
    const bool plain = !part.empty() && std::ranges::all_of(part, is_bare_key_char);
    out += plain ? std::string(part) : toml_string(part);
    if (dot == std::string_view::npos) return out;
    out += '.';
    knob.remove_prefix(dot + 1);
  }
}

}  // namespace flatout::apply
