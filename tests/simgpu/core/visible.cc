#include "core/visible.h"

#include <cstdlib>
#include <sstream>
#include <string>

#include "core/config.h"
#include "core/uuid.h"

namespace simgpu {
namespace {

// "Abbreviated forms are allowed": the beginning of a UUID, if it is that of one device alone.
int index_of_uuid(const std::string& name) {
  int found = -1;
  for (int i = 0; i < device_count(); ++i) {
    for (const char* const kind : {"GPU-", "MIG-"}) {
      if (name.size() > 4 && (kind + uuid_text(i)).starts_with(name)) {
        if (found >= 0) {
          return -1;
        }
        found = i;
      }
    }
  }
  return found;
}

// -1 where the name is that of no device.
int index_of(const std::string& name) {
  char* end = nullptr;
  const long number = std::strtol(name.c_str(), &end, 10);
  if (end == name.c_str()) {
    return index_of_uuid(name);
  }
  return number < device_count() ? static_cast<int>(number) : -1;
}

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
    const int index = index_of(name);
    if (index < 0) {
      break;
    }
    seen.push_back(index);
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
