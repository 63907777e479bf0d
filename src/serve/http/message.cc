#include "serve/http/message.h"

#include "base/ascii.h"

namespace flatout::serve {
namespace {

std::string decoded(std::string_view text, bool plus_is_blank, bool& malformed) {
  std::string out;
  out.reserve(text.size());
  for (std::size_t i = 0; i < text.size(); ++i) {
    char c = text[i];
    if (c == '%') {
      const int high = text.size() - i > 2 ? base::hex_digit(text[i + 1]) : -1;
      const int low = text.size() - i > 2 ? base::hex_digit(text[i + 2]) : -1;
      if (high < 0 || low < 0) {
        malformed = true;
        return out;
      }
      c = static_cast<char>(high * 16 + low);
      i += 2;
    } else if (c == '+' && plus_is_blank) {
      c = ' ';
    }
    if (c == '\0') malformed = true;
    out.push_back(c);
  }
  return out;
}

// Takes what stands before `separator` off `rest`.
std::string_view take_until(std::string_view& rest, char separator) {
  const auto end = rest.find(separator);
  const auto part = rest.substr(0, end);
  rest = end == std::string_view::npos ? std::string_view() : rest.substr(end + 1);
  return part;
}

}  // namespace

void parse_target(std::string_view path, std::string_view query, Request& out) {
  while (!path.empty()) {
    const auto part = take_until(path, '/');
    if (!part.empty()) out.path.push_back(decoded(part, false, out.malformed));
  }
  while (!query.empty()) {
    auto pair = take_until(query, '&');
    if (pair.empty()) continue;
    std::string name = decoded(take_until(pair, '='), true, out.malformed);
    out.query.emplace_back(std::move(name), decoded(pair, true, out.malformed));
  }
}

const std::string* Request::parameter(std::string_view name) const {
  for (const auto& [key, value] : query) {
    if (key == name) return &value;
  }
  return nullptr;
}

std::string_view Request::header(std::string_view name) const {
  const auto found = headers.find(name);
  return found == headers.end() ? std::string_view() : std::string_view(found->second);
}

}  // namespace flatout::serve
