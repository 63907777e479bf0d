#include "core/injection.h"

#include <dlfcn.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cstdio>
#include <cstdlib>
#include <mutex>
#include <string_view>

#include "core/config.h"

namespace simgpu {
namespace {

// They answer without a device, so that a program that asks no more does not initialise CUDA.
bool needs_no_device(std::string_view function) {
  constexpr std::array<std::string_view, 10> kSuch = {
      "cudaDriverGetVersion", "cudaRuntimeGetVersion",
      "cudaGetLastError",     "cudaPeekAtLastError",
      "cuDriverGetVersion",   "cuGetProcAddress",
      "cuGetProcAddress_v2",  "cuGetErrorName",
      "cuGetErrorString",     "cudaGetDriverEntryPointByVersion"};
  return std::find(kSuch.begin(), kSuch.end(), function) != kSuch.end();
}

void note(const char* what, const char* path) {
  if (config().log_stubs) {
    std::fprintf(stderr, "simgpu: CUDA_INJECTION64_PATH: %s: %s\n", path, what);
  }
}

// A library that cannot be loaded does not keep the program from running.
void inject(const char* path) {
  void* const library = dlopen(path, RTLD_NOW);
  if (library == nullptr) {
    note(dlerror(), path);
    return;
  }
  auto* const initialize = reinterpret_cast<int (*)()>(dlsym(library, "InitializeInjection"));
  if (initialize == nullptr) {
    note("no InitializeInjection in it", path);
  } else if (initialize() == 0) {
    note("InitializeInjection gave 0", path);
  }
}

}  // namespace

void inject_before(const char* function) {
  static std::atomic<bool> done{false};
  static std::mutex lock;
  thread_local bool injecting = false;
  if (done.load(std::memory_order_acquire) || injecting || needs_no_device(function)) {
    return;
  }
  injecting = true;  // InitializeInjection may call CUDA; other threads wait until it has ended
  {
    const std::lock_guard guard(lock);
    if (!done.load(std::memory_order_relaxed)) {
      if (const char* const path = std::getenv("CUDA_INJECTION64_PATH"); path != nullptr) {
        inject(path);
      }
      done.store(true, std::memory_order_release);
    }
  }
  injecting = false;
}

}  // namespace simgpu
