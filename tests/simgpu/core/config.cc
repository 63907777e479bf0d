#include "core/config.h"

#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <sstream>

namespace simgpu {
namespace {

double number(const char* name, double otherwise) {
  const char* value = std::getenv(name);
  return value != nullptr && *value != '\0' ? std::strtod(value, nullptr) : otherwise;
}

std::string text(const char* name, const std::string& otherwise) {
  const char* value = std::getenv(name);
  return value != nullptr ? value : otherwise;
}

std::vector<const DeviceSpec*> devices_of(const std::string& names, std::size_t count) {
  std::vector<const DeviceSpec*> found;
  std::istringstream in(names);
  for (std::string name; std::getline(in, name, ',');) {
    const DeviceSpec* spec = find_spec(name);
    if (spec == nullptr) {
      std::fprintf(stderr, "simgpu: SIMGPU_DEVICE=%s is not in its table; h100 is taken instead\n",
                   name.c_str());
      spec = find_spec("h100");
    }
    found.push_back(spec);
  }
  if (count == 0) {
    count = found.size();
  }
  for (std::size_t i = found.size(); i < count; ++i) {
    found.push_back(found[i % found.size()]);
  }
  found.resize(count);
  return found;
}

Config read() {
  Config read;
  read.devices = devices_of(text("SIMGPU_DEVICE", "h100"),
                            static_cast<std::size_t>(number("SIMGPU_DEVICES", 0)));
  read.memory_bytes = static_cast<std::uint64_t>(number("SIMGPU_MEMORY_GB", 0) * (1ULL << 30U));
  read.slower = number("SIMGPU_SLOWER", 1);
  read.spin = text("SIMGPU_WAIT", "sleep") == "spin";
  read.truth_folder = text("SIMGPU_TRUTH", "");
  read.truth_calls = !read.truth_folder.empty() && number("SIMGPU_TRUTH_CALLS", 0) != 0;
  read.machine_folder = text("SIMGPU_MACHINE", "/dev/shm/simgpu-" + std::to_string(getuid()));
  read.copied_bytes = static_cast<std::uint64_t>(number("SIMGPU_COPIED_BYTES", 1 << 20));
  read.numbers = number("SIMGPU_NUMBERS", 1) != 0;
  read.fault_at_launch = static_cast<std::uint64_t>(number("SIMGPU_FAULT", 0));
  read.power_limit_w = number("SIMGPU_POWER_LIMIT_W", 0);
  read.ambient_c = number("SIMGPU_AMBIENT_C", 25);
  read.log_stubs = number("SIMGPU_LOG", 0) != 0;
  return read;
}

}  // namespace

const Config& config() {
  static const Config* read_once =
      new Config(read());  // outlives every static destructor that may still ask
  return *read_once;
}

int device_count() { return static_cast<int>(config().devices.size()); }

const DeviceSpec& spec_of(int device) {
  return *config().devices[static_cast<std::size_t>(device)];
}

std::uint64_t memory_of(int device) {
  return config().memory_bytes != 0 ? config().memory_bytes : spec_of(device).memory_bytes;
}

}  // namespace simgpu
