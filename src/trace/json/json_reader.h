// Reads JSON as a stream, value by value, without holding more of it than one buffer.
//
// Traces are written while a program dies, by many tools, and are read all the same: NaN and
// Infinity, control characters in strings, missing or doubled commas, keys that come twice, and
// strings of any length are taken as they are. What is no JSON at all ends the reading with an
// error that names the byte. Memory: kBufferBytes, and a string of at most kLongestString.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "trace/byte_source.h"

namespace flatout::trace {

class JsonReader {
 public:
  static constexpr std::size_t kBufferBytes = std::size_t{256} << 10;
  // Of a longer one the beginning is given.
  static constexpr std::size_t kLongestString = std::size_t{16} << 10;
  static constexpr std::size_t kLongestScalar = 64;

  enum class Kind {
    kObject,
    kArray,
    kString,
    kScalar,  // a number, true, false, null, NaN
    kEnd,     // no bytes are left
    kBad,     // no value begins here, or reading has failed
  };

  explicit JsonReader(ByteSource& source);  // which must outlive it

  // What stands next.
  Kind peek();

  // Of an object or array that stands next: goes into it. False, and nothing is read, where none
  // does.
  bool enter();
  // In an object: to the next member, whose value then stands next. False at its end, which is
  // passed, or where reading failed.
  bool next_key();
  std::string_view key() const { return key_; }  // until anything else is read
  // In an array: to the next item. False as above.
  bool next_item();

  // The value that stands next, and passes it. Valid until the next call of any other function.
  std::string_view string();  // "" where none stands there
  std::string_view scalar();
  // A string or a scalar, as text; "" of an object or array, which is passed.
  std::string_view text();
  // An object or array that stands next, as it is written; of any other value its text(). "" where
  // it is longer than kLongestString, which passes it all the same.
  std::string_view raw();
  void skip();  // whatever stands there

  bool failed() const { return !error_.empty(); }
  // Why, and at which byte of the uncompressed text; "" = it has not.
  const std::string& error() const { return error_; }
  // The text ended where a value, or the end of an object or array, was due.
  bool cut_short() const { return cut_short_; }
  std::uint64_t offset() const;

 private:
  bool fill();  // false where no bytes are left
  bool more() { return at_ != end_ || fill(); }
  // To the next byte that is no blank; false where no bytes are left. Most often none comes before.
  bool skip_blanks() {
    return (at_ != end_ && static_cast<unsigned char>(*at_) > ' ') || skip_more_blanks();
  }
  bool skip_more_blanks();
  bool next_in(char close);
  std::string_view read_string(std::string& kept);
  bool read_escape(std::string& kept);
  void read_long_string(std::string& kept);
  std::uint32_t read_hex();
  void skip_string();
  void skip_nested();
  void keep_raw();
  void fail(std::string_view why);
  void fail_short();

  ByteSource& source_;
  std::vector<char> buffer_;
  const char* at_;
  const char* end_;
  std::uint64_t passed_ = 0;  // bytes before the buffer's first
  bool ended_ = false;
  bool cut_short_ = false;
  std::string_view key_;  // in the buffer, or in kept_key_
  std::string kept_key_;
  std::string kept_;
  const char* raw_ = nullptr;  // begin of a value that raw() passes, or of its rest in the buffer
  std::string error_;
};

}  // namespace flatout::trace
