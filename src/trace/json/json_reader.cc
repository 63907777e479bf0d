#include "trace/json/json_reader.h"

#include <algorithm>
#include <cstring>

#include "base/ascii.h"
#include "trace/json/utf8.h"

namespace flatout::trace {
namespace {

bool is_blank(char c) { return c == ' ' || c == '\n' || c == '\t' || c == '\r'; }

bool ends_scalar(char c) {
  return is_blank(c) || c == ',' || c == '}' || c == ']' || c == ':' || c == '"' || c == '{' ||
         c == '[';
}

constexpr std::uint64_t kLow = 0x0101010101010101;
constexpr std::uint64_t kHigh = 0x8080808080808080;

// A byte with its high bit set for each byte of `word` that is 0, up to the first of them.
std::uint64_t zero_bytes(std::uint64_t word) { return (word - kLow) & ~word & kHigh; }

// The first `"` or `\`, else `end`.
const char* find_quote(const char* at, const char* end) {
  constexpr std::uint64_t kQuotes = kLow * static_cast<unsigned char>('"');
  constexpr std::uint64_t kSlashes = kLow * static_cast<unsigned char>('\\');
  while (end - at >= 8) {
    std::uint64_t word = 0;
    std::memcpy(&word, at, 8);
    if ((zero_bytes(word ^ kQuotes) | zero_bytes(word ^ kSlashes)) != 0) break;
    at += 8;
  }
  while (at != end && *at != '"' && *at != '\\') ++at;
  return at;
}

// The first byte that opens or closes something, or a string, else `end`.
const char* find_bracket(const char* at, const char* end) {
  while (at != end && *at != '"' && *at != '{' && *at != '}' && *at != '[' && *at != ']') ++at;
  return at;
}

char plain_escape(char c) {
  switch (c) {
    case 'n':
      return '\n';
    case 't':
      return '\t';
    case 'r':
      return '\r';
    case 'b':
      return '\b';
    case 'f':
      return '\f';
    default:
      return c;  // also of escapes that JSON does not have
  }
}

}  // namespace

JsonReader::JsonReader(ByteSource& source)
    : source_(source), buffer_(kBufferBytes), at_(buffer_.data()), end_(at_) {
  static constexpr unsigned char kMark[] = {0xEF, 0xBB, 0xBF};  // of byte order, as Windows writes
  if (!fill() || end_ - at_ < 3 || std::memcmp(at_, kMark, 3) != 0) return;
  at_ += 3;
}

std::uint64_t JsonReader::offset() const {
  return passed_ + static_cast<std::uint64_t>(at_ - buffer_.data());
}

void JsonReader::fail(std::string_view why) {
  if (failed()) return;
  error_ = std::string(why) + " at byte " + std::to_string(offset());
}

void JsonReader::fail_short() {
  if (failed()) return;
  cut_short_ = true;
  fail("the text ends in the middle of a value");
}

// Called with nothing left in the buffer.
bool JsonReader::fill() {
  if (ended_ || failed()) return false;
  passed_ += static_cast<std::uint64_t>(end_ - buffer_.data());
  if (raw_ != nullptr) keep_raw();
  at_ = end_ = buffer_.data();
  const base::Result<std::size_t> got = source_.read(buffer_);
  if (!got) {
    ended_ = true;
    cut_short_ = got.error().code == base::ErrorCode::kCorrupt;
    error_ = got.error().message;
    return false;
  }
  end_ = at_ + *got;
  ended_ = *got == 0;
  return !ended_;
}

bool JsonReader::skip_more_blanks() {
  while (more()) {
    while (at_ != end_ && is_blank(*at_)) ++at_;
    if (at_ != end_) return true;
  }
  return false;
}

JsonReader::Kind JsonReader::peek() {
  if (failed()) return Kind::kBad;
  if (!skip_blanks()) return failed() ? Kind::kBad : Kind::kEnd;
  switch (*at_) {
    case '{':
      return Kind::kObject;
    case '[':
      return Kind::kArray;
    case '"':
      return Kind::kString;
    default:
      return ends_scalar(*at_) ? Kind::kBad : Kind::kScalar;
  }
}

bool JsonReader::enter() {
  const Kind kind = peek();
  if (kind != Kind::kObject && kind != Kind::kArray) return false;
  ++at_;
  return true;
}

// Past commas to what is next in an object or array. False at `close`, which is passed.
bool JsonReader::next_in(char close) {
  while (!failed()) {
    if (!skip_blanks()) {
      fail_short();
      return false;
    }
    if (*at_ != ',') break;
    ++at_;
  }
  if (failed()) return false;
  if (*at_ != close) return true;
  ++at_;
  return false;
}

bool JsonReader::next_key() {
  if (!next_in('}')) return false;
  if (*at_ != '"') {
    fail("a name in quotes is missing");
    return false;
  }
  key_ = read_string(kept_key_);
  while (at_ != end_ && is_blank(*at_)) ++at_;
  if (at_ == end_) {  // which overwrites the buffer
    kept_key_ = std::string(key_);
    key_ = kept_key_;
    if (!failed() && !skip_blanks()) fail_short();
  }
  if (failed()) return false;
  if (*at_ != ':') {
    fail("a colon is missing");
    return false;
  }
  ++at_;
  return true;
}

bool JsonReader::next_item() {
  if (!next_in(']')) return false;
  if (peek() != Kind::kBad) return true;
  fail("a value is missing");
  return false;
}

// Behind its opening quote stands the string. Where it lies in the buffer as it is, nothing is
// copied.
std::string_view JsonReader::read_string(std::string& kept) {
  ++at_;
  const char* close = find_quote(at_, end_);
  if (close != end_ && *close == '"') {
    const std::string_view found(at_, static_cast<std::size_t>(close - at_));
    at_ = close + 1;
    return found.substr(0, kLongestString);
  }
  kept.clear();
  read_long_string(kept);
  return kept;
}

void JsonReader::read_long_string(std::string& kept) {
  while (more()) {
    const char* stop = find_quote(at_, end_);
    const std::size_t room = kLongestString - std::min(kLongestString, kept.size());
    kept.append(at_, std::min(room, static_cast<std::size_t>(stop - at_)));
    at_ = stop;
    if (at_ == end_) continue;
    if (*at_++ == '"') return;
    if (!read_escape(kept)) return;
  }
  fail_short();
}

// Behind a backslash.
bool JsonReader::read_escape(std::string& kept) {
  if (!more()) {
    fail_short();
    return false;
  }
  const char c = *at_++;
  if (kept.size() >= kLongestString) return true;  // a quote that was escaped is passed
  if (c != 'u') {
    kept += plain_escape(c);
    return true;
  }
  std::uint32_t code = read_hex();
  if (is_high_surrogate(code) && more() && *at_ == '\\') {
    ++at_;
    if (!more() || *at_ != 'u') {
      append_utf8(kept, kReplacement);
      return read_escape(kept);
    }
    ++at_;
    code = from_surrogates(code, read_hex());
  }
  append_utf8(kept, code);
  return true;
}

// Up to four digits; fewer are taken as they are.
std::uint32_t JsonReader::read_hex() {
  std::uint32_t code = 0;
  for (int i = 0; i < 4 && more(); ++i) {
    const int digit = base::hex_digit(*at_);
    if (digit < 0) break;
    code = code << 4 | static_cast<std::uint32_t>(digit);
    ++at_;
  }
  return code;
}

void JsonReader::skip_string() {
  while (more()) {
    at_ = find_quote(at_, end_);
    if (at_ == end_) continue;
    if (*at_++ == '"') return;
    if (!more()) break;
    ++at_;
  }
  fail_short();
}

std::string_view JsonReader::string() {
  if (peek() == Kind::kString) return read_string(kept_);
  skip();
  return {};
}

std::string_view JsonReader::scalar() {
  if (peek() != Kind::kScalar) {
    skip();
    return {};
  }
  const char* begin = at_;
  while (at_ != end_ && !ends_scalar(*at_)) ++at_;
  if (at_ != end_) {
    return std::string_view(begin, static_cast<std::size_t>(at_ - begin)).substr(0, kLongestScalar);
  }
  kept_.assign(begin, std::min(kLongestScalar, static_cast<std::size_t>(at_ - begin)));
  while (more() && !ends_scalar(*at_)) {
    if (kept_.size() < kLongestScalar) kept_ += *at_;
    ++at_;
  }
  return kept_;
}

std::string_view JsonReader::text() {
  switch (peek()) {
    case Kind::kString:
      return read_string(kept_);
    case Kind::kScalar:
      return scalar();
    default:
      skip();
      return {};
  }
}

// What lies in the buffer of a value, before the buffer is overwritten.
void JsonReader::keep_raw() {
  const std::size_t room = kLongestString + 1 - std::min(kLongestString + 1, kept_.size());
  kept_.append(raw_, std::min(room, static_cast<std::size_t>(end_ - raw_)));
  raw_ = buffer_.data();
}

std::string_view JsonReader::raw() {
  const Kind kind = peek();
  if (kind != Kind::kObject && kind != Kind::kArray) return text();
  kept_.clear();
  raw_ = at_;
  skip_nested();
  const std::string_view rest(raw_, failed() ? 0 : static_cast<std::size_t>(at_ - raw_));
  raw_ = nullptr;
  const std::size_t length = kept_.size() + rest.size();
  if (failed() || length > kLongestString) return {};
  if (kept_.empty()) return rest;
  kept_.append(rest);
  return kept_;
}

void JsonReader::skip() {
  switch (peek()) {
    case Kind::kString:
      ++at_;
      return skip_string();
    case Kind::kScalar:
      scalar();
      return;
    case Kind::kEnd:
      return fail_short();
    case Kind::kBad:
      return fail("a value is missing");
    default:
      break;
  }
  skip_nested();
}

// An object or array, which stands next.
void JsonReader::skip_nested() {
  std::uint64_t depth = 0;
  do {
    at_ = find_bracket(at_, end_);
    if (!more()) return fail_short();
    if (at_ == end_ || (*at_ != '"' && *at_ != '{' && *at_ != '}' && *at_ != '[' && *at_ != ']')) {
      continue;  // the buffer was filled anew
    }
    const char c = *at_++;
    if (c == '"') {
      skip_string();
    } else {
      depth += c == '{' || c == '[' ? 1 : std::uint64_t(-1);
    }
  } while (depth != 0 && !failed());
}

}  // namespace flatout::trace
