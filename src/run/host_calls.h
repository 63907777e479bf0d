// Calls of CUDA's and HIP's runtime and driver, by name, as kernel traces have them.
#pragma once

#include <string_view>

namespace flatout::run {

// "Synchronize" of "cudaStreamSynchronize", "cuStreamSynchronize", "hipStreamSynchronize"; versions
// of a call ("cudaMemcpyAsync_v3020", "..._ptsz") are not part of it. Empty of other names.
constexpr std::string_view call_without_library(std::string_view name) {
  for (const std::string_view prefix : {"cuda", "hip", "cu"}) {
    if (name.starts_with(prefix)) {
      name.remove_prefix(prefix.size());
      return name.substr(0, name.find('_'));
    }
  }
  return {};
}

// Returns when the device, a stream or an event has come so far.
constexpr bool is_sync_call(std::string_view name) {
  const std::string_view call = call_without_library(name);
  return call == "DeviceSynchronize" || call == "StreamSynchronize" || call == "EventSynchronize" ||
         call == "CtxSynchronize" || call == "ThreadSynchronize";
}

// Copies; the host takes part where memory is pageable.
constexpr bool is_copy_call(std::string_view name) {
  return call_without_library(name).starts_with("Memcpy");
}

// Gives a device kernels to run: one, or those of a graph. A function of the host is none.
constexpr bool is_launch_call(std::string_view name) {
  const std::string_view call = call_without_library(name);
  return call.contains("LaunchKernel") || call.contains("LaunchCooperative") ||
         call == "GraphLaunch" || call == "Launch" || call.starts_with("LaunchGrid");
}

// What is done once, before the work or at its beginning: memory, modules and contexts.
constexpr bool is_setup_call(std::string_view name) {
  const std::string_view call = call_without_library(name);
  for (const std::string_view prefix :
       {"Malloc", "Free", "HostAlloc", "HostRegister", "MemAlloc", "MemFree", "MemCreate", "MemMap",
        "MemSetAccess", "ModuleLoad", "ModuleGet", "LibraryLoad", "LibraryGet", "LinkComplete",
        "StreamCreate", "CtxCreate", "DevicePrimaryCtxRetain", "Init", "GraphInstantiate"}) {
    if (call.starts_with(prefix)) return true;
  }
  return false;
}

}  // namespace flatout::run
