// The CUDA driver's library: opened at run time, its functions by name.
#pragma once

#include <dlfcn.h>

#include <memory>
#include <string>

#include "base/result.h"
#include "data/device/cuda_abi.h"

namespace flatout::data::device {

constexpr const char* kCudaLibrary = "libcuda.so.1";

template <typename... Args>
struct CudaFunction {
  using Pointer = CudaCode (*)(Args...);
  // Where the library lacks it, its name goes into `missing`.
  CudaFunction(void* library, const char* symbol, std::string& missing)
      : name(symbol), pointer(reinterpret_cast<Pointer>(::dlsym(library, symbol))) {
    if (pointer == nullptr && missing.empty()) missing = symbol;
  }
  const char* name;
  Pointer pointer;
};

struct CudaFunctions {
  explicit CudaFunctions(void* opened) : library(opened) {}
  void* library;
  std::string missing = {};  // the first function that the library lacks

  CudaFunction<unsigned> init{library, "cuInit", missing};
  CudaFunction<CudaCode, const char**> error_name{library, "cuGetErrorName", missing};
  CudaFunction<CudaCode, const char**> error_text{library, "cuGetErrorString", missing};
  CudaFunction<int*> device_count{library, "cuDeviceGetCount", missing};
  CudaFunction<int*, int> device{library, "cuDeviceGet", missing};
  CudaFunction<char*, int, int> device_name{library, "cuDeviceGetName", missing};
  CudaFunction<CudaContext*, int> retain{library, "cuDevicePrimaryCtxRetain", missing};
  CudaFunction<int> release{library, "cuDevicePrimaryCtxRelease_v2", missing};
  CudaFunction<int*> current_device{library, "cuCtxGetDevice", missing};
  CudaFunction<CudaContext> push{library, "cuCtxPushCurrent_v2", missing};
  CudaFunction<CudaContext*> pop{library, "cuCtxPopCurrent_v2", missing};
  CudaFunction<> synchronize{library, "cuCtxSynchronize", missing};

  CudaFunction<void*, std::size_t, unsigned> pin{library, "cuMemHostRegister_v2", missing};
  CudaFunction<void*> unpin{library, "cuMemHostUnregister", missing};
  CudaFunction<DeviceAddress*, std::size_t> allocate{library, "cuMemAlloc_v2", missing};
  CudaFunction<DeviceAddress> free{library, "cuMemFree_v2", missing};
  CudaFunction<DeviceAddress, const void*, std::size_t, CudaStream> copy{
      library, "cuMemcpyHtoDAsync_v2", missing};

  CudaFunction<CudaStream*, unsigned> stream{library, "cuStreamCreate", missing};
  CudaFunction<CudaStream> stream_destroy{library, "cuStreamDestroy_v2", missing};
  CudaFunction<CudaStream> stream_synchronize{library, "cuStreamSynchronize", missing};
  CudaFunction<CudaStream, CudaEvent, unsigned> stream_wait{library, "cuStreamWaitEvent", missing};
  CudaFunction<CudaEvent*, unsigned> event{library, "cuEventCreate", missing};
  CudaFunction<CudaEvent> event_destroy{library, "cuEventDestroy_v2", missing};
  CudaFunction<CudaEvent, CudaStream> record{library, "cuEventRecord", missing};
  CudaFunction<CudaEvent> event_query{library, "cuEventQuery", missing};
  CudaFunction<CudaEvent> event_synchronize{library, "cuEventSynchronize", missing};
  CudaFunction<float*, CudaEvent, CudaEvent> elapsed_ms{library, "cuEventElapsedTime", missing};

  CudaFunction<CudaModule*, const void*> module_load{library, "cuModuleLoadData", missing};
  CudaFunction<CudaModule> module_unload{library, "cuModuleUnload", missing};
  CudaFunction<CudaKernel*, CudaModule, const char*> kernel{library, "cuModuleGetFunction",
                                                            missing};
  // Kernel; blocks and threads of each, x, y, z; shared bytes; stream; arguments; unused.
  CudaFunction<CudaKernel, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned,
               CudaStream, void**, void**>
      launch{library, "cuLaunchKernel", missing};
};

// Any thread. Never closes the library, which the program may use as well.
class CudaDriver {
 public:
  // `path` empty: FLATOUT_CUDA_LIBRARY, else the system's. kUnavailable, with what is missing and
  // what to do, where there is no driver, an older one, or no device.
  static base::Result<std::shared_ptr<const CudaDriver>> open(const std::string& path = "");

  template <typename... Params, typename... Args>
  base::Result<void> call(const CudaFunction<Params...>& function, Args... args) const {
    const CudaCode code = function.pointer(args...);
    if (code == CudaCode::kSuccess) return {};
    return base::fail(base::ErrorCode::kUnavailable, reason(code, function.name));
  }

  // "cuMemAlloc_v2: CUDA_ERROR_OUT_OF_MEMORY (out of memory)"
  std::string reason(CudaCode code, const char* name) const;

  const CudaFunctions f;

 private:
  explicit CudaDriver(void* library) : f(library) {}
};

}  // namespace flatout::data::device
