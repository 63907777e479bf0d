// JSON that a C program's words become. Nothing here throws; a text that cannot grow is failed().
// Pure; any thread.
#pragma once

#include <cstddef>
#include <cstdint>

namespace flatout::capi {

// A text that grows by realloc.
class JsonText {
 public:
  JsonText() = default;
  ~JsonText();
  JsonText(const JsonText&) = delete;
  JsonText& operator=(const JsonText&) = delete;

  JsonText& raw(const char* text);  // ends with '\0'
  JsonText& raw(const char* text, std::size_t bytes);
  // In quotes, with what JSON escapes; "" for null. Of more than most_bytes the first ones, whole
  // characters. What is no UTF-8 becomes U+FFFD.
  JsonText& quoted(const char* text, std::size_t most_bytes);
  // The shortest that reads as the same number, in whatever locale; what is not finite becomes
  // "NaN", "Infinity", "-Infinity".
  JsonText& number(double value);
  JsonText& whole(std::int64_t value);

  bool failed() const { return failed_; }  // no memory was left
  const char* data() const { return data_; }
  std::size_t size() const { return size_; }
  // What was written so far; to be freed with std::free.
  char* release();

 private:
  bool make_room(std::size_t bytes);

  char* data_ = nullptr;
  std::size_t size_ = 0, capacity_ = 0;
  bool failed_ = false;
};

// Whether flatout's reader takes it as an object: JSON of at most 32 levels in UTF-8, with numbers
// below 1e308.
bool is_json_object(const char* text, std::size_t bytes);

}  // namespace flatout::capi
