#include "capi/track/json_text.h"

#include <algorithm>
#include <cinttypes>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <utility>

#include "capi/track/utf8.h"

namespace flatout::capi {
namespace {

constexpr char kHex[] = "0123456789abcdef";

// printf writes the decimal sign of the program's locale, which may have several bytes.
std::size_t with_point(char* text) {
  char* to = text;
  bool in_sign = false;
  for (const char* from = text; *from != '\0'; ++from) {
    const bool plain = (*from >= '0' && *from <= '9') || std::strchr("+-e", *from) != nullptr;
    if (plain) *to++ = *from;
    if (!plain && !in_sign) *to++ = '.';
    in_sign = !plain;
  }
  *to = '\0';
  return static_cast<std::size_t>(to - text);
}

}  // namespace

JsonText::~JsonText() { std::free(data_); }

bool JsonText::make_room(std::size_t bytes) {
  if (failed_) return false;
  if (size_ + bytes <= capacity_) return true;
  const std::size_t wanted = std::max(capacity_ * 2, std::max(size_ + bytes, std::size_t{256}));
  auto* grown = static_cast<char*>(std::realloc(data_, wanted));
  if (grown == nullptr) {
    failed_ = true;
    return false;
  }
  data_ = grown;
  capacity_ = wanted;
  return true;
}

JsonText& JsonText::raw(const char* text, std::size_t bytes) {
  if (bytes == 0 || !make_room(bytes)) return *this;
  std::memcpy(data_ + size_, text, bytes);
  size_ += bytes;
  return *this;
}

JsonText& JsonText::raw(const char* text) { return raw(text, std::strlen(text)); }

JsonText& JsonText::quoted(const char* text, std::size_t most_bytes) {
  raw("\"", 1);
  const std::size_t bytes = text == nullptr ? 0 : ::strnlen(text, most_bytes);
  const bool whole = text == nullptr || text[bytes] == '\0' || bytes < most_bytes;
  for (std::size_t at = 0; at < bytes;) {
    const auto c = static_cast<unsigned char>(text[at]);
    const std::size_t size = utf8_length(text + at, bytes - at);
    if (size == 0) {
      if (!whole && bytes - at < 4 && c >= 0xc2) break;  // the cut went through it
      raw("\xef\xbf\xbd", 3);
      ++at;
    } else if (c < 0x20 || c == '"' || c == '\\' || c == 0x7f) {
      const char escaped[] = {'\\', 'u', '0', '0', kHex[c >> 4], kHex[c & 15]};
      raw(escaped, sizeof escaped);
      ++at;
    } else {
      raw(text + at, size);
      at += size;
    }
  }
  return raw("\"", 1);
}

JsonText& JsonText::number(double value) {
  if (std::isnan(value)) return raw(R"("NaN")");
  if (std::isinf(value)) return raw(value > 0 ? R"("Infinity")" : R"("-Infinity")");
  char text[64];
  for (int digits = 15; digits <= 17; ++digits) {
    (void)std::snprintf(text, sizeof text, "%.*g", digits, value);
    if (std::strtod(text, nullptr) == value) break;
  }
  return raw(text, with_point(text));
}

JsonText& JsonText::whole(std::int64_t value) {
  char text[32];
  const int bytes = std::snprintf(text, sizeof text, "%" PRId64, value);
  return raw(text, static_cast<std::size_t>(bytes));
}

char* JsonText::release() {
  raw("", 1);
  char* out = failed_ ? nullptr : std::exchange(data_, nullptr);
  if (out != nullptr) size_ = capacity_ = 0;
  return out;
}

}  // namespace flatout::capi
