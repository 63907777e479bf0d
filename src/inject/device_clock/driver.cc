#include "inject/device_clock/driver.h"

#include <dlfcn.h>

namespace flatout::inject::device_clock {
namespace {

template <typename Function>
bool find(void* library, const char* name, Function** function) {
  *function = reinterpret_cast<Function*>(::dlsym(library, name));
  return *function != nullptr;
}

}  // namespace

const char* find_driver(Driver* found) {
  void* library = ::dlopen("libcuda.so.1", RTLD_LAZY | RTLD_NOLOAD);
  if (library == nullptr) return "libcuda.so.1 is not in this process";
  if (!find(library, "cuCtxGetDevice", &found->current_device)) return "no cuCtxGetDevice";
  if (!find(library, "cuStreamIsCapturing", &found->capture_status)) {
    return "no cuStreamIsCapturing";
  }
  if (!find(library, "cuEventCreate", &found->create)) return "no cuEventCreate";
  if (!find(library, "cuEventRecord", &found->record)) return "no cuEventRecord";
  if (!find(library, "cuEventQuery", &found->query)) return "no cuEventQuery";
  // The second form takes the same and is there from CUDA 12.8 on.
  if (!find(library, "cuEventElapsedTime_v2", &found->elapsed) &&
      !find(library, "cuEventElapsedTime", &found->elapsed)) {
    return "no cuEventElapsedTime";
  }
  if (!find(library, "cuEventSynchronize", &found->synchronize)) return "no cuEventSynchronize";
  if (!find(library, "cuGetErrorString", &found->describe)) return "no cuGetErrorString";
  return nullptr;
}

}  // namespace flatout::inject::device_clock
