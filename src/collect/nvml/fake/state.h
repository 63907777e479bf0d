// A pretended libnvidia-ml.so.1 for tests, driven by a script (script.h), so that
// the code that reads the real one runs on a machine without a GPU. Compiled with
// FAKE_NVML_OLD it is a driver of 2017: no memory v2, no GPM, no MIG, older lists.
// Here: what its files share. It is hidden, so that the library's symbols stay the
// driver's own and those of script.h.
#pragma once

#include <memory>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "collect/nvml/abi.h"
#include "collect/nvml/fake/script.h"

#pragma GCC visibility push(hidden)
namespace fake_nvml {

using namespace flatout::collect::nvml;

// What a handle points to: a device, or an instance of one.
struct Place {
  Device* device = nullptr;
  const Instance* instance = nullptr;
};

struct State {
  Script script;
  std::vector<std::unique_ptr<Place>> whole;
  std::vector<std::unique_ptr<Place>> parts;
  std::set<std::pair<const Device*, unsigned long long>> told_xids;
  double start_us = 0;
};
extern std::unique_ptr<State> state;  // from nvmlInit_v2 on

double now_us();  // since 1970
double now();     // seconds since the library was initialised

inline Place& place(Handle handle) { return *reinterpret_cast<Place*>(handle); }
inline Handle handle_of(const Place& at) {
  return reinterpret_cast<Handle>(const_cast<Place*>(&at));  // NOLINT: the interface has no const
}

// Hangs or fails as the script wants; success = go on.
Return trouble(const char* call, const Device* device);

Return text(const std::string& from, char* to, unsigned length);

template <typename Number>
Return field(Handle handle, const char* name, Number* out, const char* call) {
  const Device& device = *place(handle).device;
  if (const Return bad = trouble(call, &device); bad != Return::kSuccess) return bad;
  const auto value = device.value(name, now());
  if (!value) return Return::kNotSupported;
  *out = static_cast<Number>(*value);
  return Return::kSuccess;
}

}  // namespace fake_nvml
#pragma GCC visibility pop
