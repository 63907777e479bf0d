// CRC-32 (the one of zip and Python's zlib), for tests against stored cases.
#pragma once

#include <cstddef>
#include <cstdint>

namespace flatout::data::transform {

inline std::uint32_t crc32(const void* bytes, std::size_t count) {
  std::uint32_t crc = ~0U;
  for (std::size_t i = 0; i < count; ++i) {
    crc ^= static_cast<const std::uint8_t*>(bytes)[i];
    for (int bit = 0; bit < 8; ++bit) crc = crc >> 1 ^ (crc & 1 ? 0xEDB88320U : 0);
  }
  return ~crc;
}

}  // namespace flatout::data::transform
