// Tar files for tests and seeds, block by block.
#pragma once

#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <string>
#include <string_view>

namespace flatout::data {

inline void set_octal(std::string& header, std::size_t offset, std::size_t width,
                      std::uint64_t value) {
  char digits[32];
  std::snprintf(digits, sizeof digits, "%0*llo", static_cast<int>(width) - 1,
                static_cast<unsigned long long>(value));
  std::memcpy(header.data() + offset, digits, width);
}

inline void set_sum(std::string& header) {
  std::memset(header.data() + 148, ' ', 8);
  unsigned sum = 0;
  for (const char byte : header) sum += static_cast<unsigned char>(byte);
  set_octal(header, 148, 7, sum);
}

// A header without content behind it.
inline std::string tar_header(std::string_view name, std::uint64_t size, char type = '0',
                              std::string_view prefix = "") {
  std::string header(512, '\0');
  std::memcpy(header.data(), name.data(), std::min<std::size_t>(name.size(), 100));
  set_octal(header, 100, 8, 0644);
  set_octal(header, 124, 12, size);
  header[156] = type;
  std::memcpy(header.data() + 257, "ustar\00000", 8);
  std::memcpy(header.data() + 345, prefix.data(), prefix.size());
  set_sum(header);
  return header;
}

inline std::string tar_member(std::string_view name, std::string_view content, char type = '0',
                              std::string_view prefix = "") {
  std::string out = tar_header(name, content.size(), type, prefix) + std::string(content);
  out.resize((out.size() + 511) / 512 * 512);
  return out;
}

inline std::string tar_end() { return std::string(1024, '\0'); }

// "27 path=a/b.jpg\n", whose length counts its own digits.
inline std::string pax_record(const std::string& key, const std::string& value) {
  const std::string rest = " " + key + "=" + value + "\n";
  std::size_t length = rest.size() + 1;
  while (std::to_string(length).size() + rest.size() != length)
    length = std::to_string(length).size() + rest.size();
  return std::to_string(length) + rest;
}

}  // namespace flatout::data
