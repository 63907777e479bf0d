#include "core/uuid.h"

#include <array>
#include <cstdio>

namespace simgpu {

unsigned char uuid_byte(int device) { return static_cast<unsigned char>(device + 1); }

std::string uuid_text(int device) {
  std::array<char, 5> two_bytes{};
  const unsigned byte = uuid_byte(device);
  std::snprintf(two_bytes.data(), two_bytes.size(), "%02x%02x", byte, byte);
  const std::string part(two_bytes.data());
  return part + part + "-" + part + "-" + part + "-" + part + "-" + part + part + part;
}

}  // namespace simgpu
