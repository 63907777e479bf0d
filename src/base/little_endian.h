// Integers as they stand in files of ours: little endian, at any place of a string of bytes.
#pragma once

#include <cstddef>
#include <cstring>
#include <string>
#include <string_view>

namespace flatout::base {

static_assert(__BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__, "integers are copied as they are");

// The caller has checked that `at` and the integer's bytes behind it lie within `bytes`.
template <typename Integer>
Integer load(std::string_view bytes, std::size_t at) {
  Integer value{};
  std::memcpy(&value, bytes.data() + at, sizeof value);
  return value;
}

template <typename Integer>
void append(std::string& out, Integer value) {
  char bytes[sizeof value];
  std::memcpy(bytes, &value, sizeof value);
  out.append(bytes, sizeof value);
}

}  // namespace flatout::base
