#include "core/kernels.h"

#include <cxxabi.h>

#include <cstdlib>
#include <string>
#include <unordered_map>

#include "core/config.h"
#include "core/cost.h"
#include "core/process.h"

namespace simgpu::kernels {
namespace {

struct Known {
  const char* mangled;
  std::string demangled;  // made at the first launch
};

std::unordered_map<const void*, Known>& known() {
  static auto* kept = new std::unordered_map<const void*, Known>;
  return *kept;
}

std::string demangle(const char* mangled) {
  int status = 0;
  char* const text = abi::__cxa_demangle(mangled, nullptr, nullptr, &status);
  std::string demangled = status == 0 ? text : mangled;
  std::free(text);
  return demangled;
}

const Known& find(const void* function) {
  static const Known nothing{"", ""};
  const auto at = known().find(function);
  if (at == known().end()) {
    return nothing;
  }
  if (at->second.demangled.empty()) {
    at->second.demangled = demangle(at->second.mangled);
  }
  return at->second;
}

std::uint64_t blocks_of(const Launch& launch) {
  return std::uint64_t{launch.grid[0]} * launch.grid[1] * launch.grid[2];
}

}  // namespace

void add(const void* function, const char* mangled_name) {
  const Locked guard(process().lock);
  known()[function] = {intern(mangled_name), ""};
}

const char* name_of(const void* function) {
  const Locked guard(process().lock);
  const auto at = known().find(function);
  return at == known().end() ? "" : at->second.mangled;
}

Status launch(CUstream_st* stream, const Launch& launch) {
  const int device = device_of(stream);
  if (device != current_device()) {
    // CUDA C++ Programming Guide, "Stream and Event Behavior": fails in a stream of another device.
    return kInvalidResourceHandle;
  }
  Submission submission;
  Operation& what = submission.what;
  {
    const Locked guard(process().lock);
    const Known& kernel = find(launch.function);
    const Cost cost = cost_of(kernel.demangled.c_str(), launch);
    what.name = kernel.mangled;
    what.duration = kernel_time(device, cost.flops, cost.type, cost.bytes);
  }
  what.kind = OpKind::kKernel;
  what.grid = launch.grid;
  what.block = launch.block;
  what.shared_bytes = launch.shared_bytes;
  what.shares_sms = blocks_of(launch) * 2 < static_cast<std::uint64_t>(spec_of(device).sm_count);
  return submit(stream, std::move(submission));
}

}  // namespace simgpu::kernels
