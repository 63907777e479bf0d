#include "trackers/json_text.h"

#include <charconv>
#include <limits>

namespace flatout::trackers {
namespace {

constexpr int kDeepestJson = 64;

bool is_word(char c) { return (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z'); }

// Python's names of what JSON has no number for become texts.
std::string with_quoted_words(std::string_view text) {
  std::string out;
  bool in_text = false;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    if (in_text) {
      out += c;
      if (c == '\\' && i + 1 < text.size()) out += text[++i];
      if (c == '"') in_text = false;
      continue;
    }
    in_text = c == '"';
    if (c != '-' && !is_word(c)) {
      out += c;
      continue;
    }
    std::size_t end = i + 1;
    while (end < text.size() && is_word(text[end])) ++end;
    const std::string_view word = text.substr(i, end - i);
    const bool special = word == "NaN" || word == "Infinity" || word == "-Infinity";
    out += special ? "\"" + std::string(word) + "\"" : std::string(word);
    i = end - 1;
  }
  return out;
}

bool too_deep(std::string_view text) {
  int depth = 0;
  bool in_text = false;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    if (in_text) {
      if (c == '\\') ++i;
      if (c == '"') in_text = false;
    } else if (c == '"') {
      in_text = true;
    } else if (c == '[' || c == '{') {
      if (++depth > kDeepestJson) return true;
    } else if (c == ']' || c == '}') {
      --depth;
    }
  }
  return false;
}

}  // namespace

std::optional<Json> json_of(std::string_view text) {
  if (too_deep(text)) return std::nullopt;
  Json parsed = Json::parse(text, nullptr, /*allow_exceptions=*/false);
  if (parsed.is_discarded()) {
    parsed = Json::parse(with_quoted_words(text), nullptr, /*allow_exceptions=*/false);
  }
  if (parsed.is_discarded()) return std::nullopt;
  return parsed;
}

std::optional<double> number_of(std::string_view json) {
  using Limits = std::numeric_limits<double>;
  if (json == "true") return 1;
  if (json == "false") return 0;
  if (json == "NaN" || json == "\"NaN\"" || json == "nan") return Limits::quiet_NaN();
  if (json == "Infinity" || json == "\"Infinity\"" || json == "inf") return Limits::infinity();
  if (json == "-Infinity" || json == "\"-Infinity\"" || json == "-inf") return -Limits::infinity();
  double value = 0;
  const auto [end, error] = std::from_chars(json.data(), json.data() + json.size(), value);
  if (end != json.data() + json.size() || json.empty()) return std::nullopt;
  if (error == std::errc::result_out_of_range) return std::nullopt;
  return error == std::errc() ? std::optional(value) : std::nullopt;
}

std::string text_of(const Json& json) {
  return json.dump(-1, ' ', false, Json::error_handler_t::replace);
}

void set_at(Json& into, std::string_view path, char separator, Json value) {
  Json* at = &into;
  int depth = 0;
  for (std::size_t from = 0;;) {
    const std::size_t end = path.find(separator, from);
    const std::string part(path.substr(from, end == std::string_view::npos ? end : end - from));
    if (!at->is_object()) *at = Json::object();
    at = &(*at)[part];
    if (end == std::string_view::npos || ++depth >= kDeepestJson) break;
    from = end + 1;
  }
  *at = std::move(value);
}

}  // namespace flatout::trackers
