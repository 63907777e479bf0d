// Inputs of the targets that go past a file's checksums: records, each with its
// type and the length of its payload before it.
#pragma once

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <string_view>

#include "store/frame_log.h"

namespace flatout::fuzz {

// Calls take(frame) for each; the last one may be cut short.
template <typename Take>
void each_record(std::string_view bytes, const Take& take) {
  std::uint16_t size = 0;
  while (bytes.size() > sizeof size) {
    const auto type = static_cast<store::FrameType>(bytes[0]);
    std::memcpy(&size, bytes.data() + 1, sizeof size);
    bytes.remove_prefix(1 + sizeof size);
    take(store::Frame{.type = type, .offset = 0, .payload = bytes.substr(0, size)});
    bytes.remove_prefix(std::min<std::size_t>(size, bytes.size()));
  }
}

}  // namespace flatout::fuzz
