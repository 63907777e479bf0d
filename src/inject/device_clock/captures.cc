#include "inject/device_clock/captures.h"

#include <cstdio>

namespace flatout::inject::device_clock {

bool Captures::say(char* json, std::uint32_t size) {
  if (!unsaid_) return false;
  unsaid_ = false;
  const int length = std::snprintf(json, size, R"({"boundaries": %llu, "copies": %llu})",
                                   static_cast<unsigned long long>(lost_boundaries_),
                                   static_cast<unsigned long long>(lost_copies_));
  return length > 0 && static_cast<std::uint32_t>(length) < size;
}

}  // namespace flatout::inject::device_clock
