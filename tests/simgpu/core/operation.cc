#include "core/operation.h"

#include <mutex>
#include <string>
#include <unordered_set>

namespace simgpu {

const char* intern(const char* text) {
  static std::mutex lock;
  static auto* known = new std::unordered_set<std::string>;
  const std::lock_guard guard(lock);
  return known->emplace(text).first->c_str();
}

}  // namespace simgpu
