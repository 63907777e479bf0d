// JSON of a program goes to flatout as it is, so it is validated first: a reader that took part of
// it would lose the rest without an error.
#include <cstdlib>
#include <cstring>

#include "capi/track/json_text.h"
#include "capi/track/utf8.h"

namespace flatout::capi {
namespace {

constexpr int kDeepest = 32;
constexpr int kMostExponent = 307;

class Checker {
 public:
  Checker(const char* text, std::size_t bytes) : at_(text), end_(text + bytes) {}

  bool is_object() {
    blank();
    if (peek() != '{' || !value(0)) return false;
    blank();
    return at_ == end_;
  }

 private:
  char peek() const { return at_ < end_ ? *at_ : '\0'; }
  bool take(char c) {
    if (peek() != c || at_ == end_) return false;
    ++at_;
    return true;
  }
  void blank() {
    while (at_ < end_ && (*at_ == ' ' || *at_ == '\t' || *at_ == '\n' || *at_ == '\r')) ++at_;
  }
  bool word(const char* what) {
    const std::size_t bytes = std::strlen(what);
    if (static_cast<std::size_t>(end_ - at_) < bytes || std::memcmp(at_, what, bytes) != 0) {
      return false;
    }
    at_ += bytes;
    return true;
  }

  // At most kDeepest levels, so that it needs little of the caller's stack.
  bool value(int depth) {
    if (depth >= kDeepest) return false;
    switch (peek()) {
      case '{':
        return members(depth);
      case '[':
        return items(depth);
      case '"':
        return string();
      case 't':
        return word("true");
      case 'f':
        return word("false");
      case 'n':
        return word("null");
      default:
        return number();
    }
  }

  bool members(int depth) {
    ++at_;
    blank();
    if (take('}')) return true;
    do {
      blank();
      if (!string()) return false;
      blank();
      if (!take(':')) return false;
      blank();
      if (!value(depth + 1)) return false;
      blank();
    } while (take(','));
    return take('}');
  }

  bool items(int depth) {
    ++at_;
    blank();
    if (take(']')) return true;
    do {
      blank();
      if (!value(depth + 1)) return false;
      blank();
    } while (take(','));
    return take(']');
  }

  bool string() {
    if (!take('"')) return false;
    while (at_ < end_ && *at_ != '"') {
      if (static_cast<unsigned char>(*at_) < 0x20) return false;
      if (*at_ == '\\') {
        if (!escape()) return false;
        continue;
      }
      const std::size_t bytes = utf8_length(at_, static_cast<std::size_t>(end_ - at_));
      if (bytes == 0) return false;
      at_ += bytes;
    }
    return take('"');
  }

  bool escape() {
    ++at_;
    if (at_ == end_) return false;
    const char c = *at_++;
    if (c != 'u') return std::memchr("\"\\/bfnrt", c, 8) != nullptr;
    unsigned unit = 0;
    if (!hex(unit) || (unit >= 0xdc00 && unit <= 0xdfff)) return false;
    if (unit < 0xd800 || unit > 0xdbff) return true;
    return take('\\') && take('u') && hex(unit) && unit >= 0xdc00 && unit <= 0xdfff;
  }

  bool hex(unsigned& out) {
    if (end_ - at_ < 4) return false;
    out = 0;
    for (int i = 0; i < 4; ++i) {
      const char c = *at_++;
      const int digit = c >= '0' && c <= '9'   ? c - '0'
                        : c >= 'a' && c <= 'f' ? c - 'a' + 10
                        : c >= 'A' && c <= 'F' ? c - 'A' + 10
                                               : -1;
      if (digit < 0) return false;
      out = out * 16 + static_cast<unsigned>(digit);
    }
    return true;
  }

  bool digits(int& count) {
    const char* from = at_;
    while (at_ < end_ && *at_ >= '0' && *at_ <= '9') ++at_;
    count = static_cast<int>(at_ - from < 1000 ? at_ - from : 1000);
    return count > 0;
  }

  // One whose size no double holds would make a reader refuse all of it.
  bool number() {
    int whole = 0, rest = 0, exponent = 0;
    take('-');
    if (peek() == '0') {
      ++at_;
    } else if (!digits(whole)) {
      return false;
    }
    if (take('.') && !digits(rest)) return false;
    if (take('e') || take('E')) {
      const bool below = peek() == '-';
      if (!take('-')) take('+');
      const char* from = at_;
      int count = 0;
      if (!digits(count)) return false;
      for (; from < at_; ++from)
        exponent = exponent < 10'000 ? exponent * 10 + (*from - '0') : exponent;
      if (below) exponent = 0;
    }
    return whole + exponent <= kMostExponent;
  }

  const char* at_;
  const char* end_;
};

}  // namespace

bool is_json_object(const char* text, std::size_t bytes) {
  return Checker(text, bytes).is_object();
}

}  // namespace flatout::capi
