#include "core/visible.h"

#include <cstdlib>
#include <sstream>
#include <string>

#include "core/config.h"

namespace simgpu {
namespace {

std::vector<int> read() {
  std::vector<int> seen;
  const char* const asked = std::getenv("CUDA_VISIBLE_DEVICES");
  if (asked == nullptr) {
    for (int i = 0; i < device_count(); ++i) {
      seen.push_back(i);
    }
    return seen;
  }
  std::istringstream in(asked);
  for (std::string name; std::getline(in, name, ',');) {
    char* end = nullptr;
    const long number = std::strtol(name.c_str(), &end, 10);
    if (end == name.c_str() || number < 0 || number >= device_count()) {
      break;
    }
    seen.push_back(static_cast<int>(number));
  }
  return seen;
}

}  // namespace

const std::vector<int>& visible_devices() {
  static const auto* seen = new std::vector<int>(read());
  return *seen;
}

int visible_count() { return static_cast<int>(visible_devices().size()); }
bool is_visible(int local) { return local >= 0 && local < visible_count(); }
int machine_device(int local) { return visible_devices()[static_cast<std::size_t>(local)]; }

int local_device(int machine) {
  for (int i = 0; i < visible_count(); ++i) {
    if (machine_device(i) == machine) {
      return i;
    }
  }
  return -1;
}

}  // namespace simgpu
