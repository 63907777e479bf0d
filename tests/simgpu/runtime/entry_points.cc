// The driver's functions by name, for PyTorch's own table of them (c10/cuda/driver_api.h).
#include <cuda.h>
#include <dlfcn.h>

#include "runtime/status.h"

extern "C" cudaError_t cudaGetDriverEntryPointByVersion(const char* name, void** function,
                                                        unsigned version, unsigned long long flags,
                                                        cudaDriverEntryPointQueryResult* result) {
  SIMGPU_API(cudaGetDriverEntryPointByVersion);
  using GetProcAddress =
      CUresult (*)(const char*, void**, int, cuuint64_t, CUdriverProcAddressQueryResult*);
  static auto* const driver = dlopen("libcuda.so.1", RTLD_LAZY);
  static auto* const get =
      driver == nullptr ? nullptr
                        : reinterpret_cast<GetProcAddress>(dlsym(driver, "cuGetProcAddress_v2"));
  CUdriverProcAddressQueryResult found = CU_GET_PROC_ADDRESS_SYMBOL_NOT_FOUND;
  *function = nullptr;
  if (get != nullptr) {
    get(name, function, static_cast<int>(version), flags, &found);
  }
  if (result != nullptr) {
    *result = static_cast<cudaDriverEntryPointQueryResult>(found);
  }
  SIMGPU_RETURN(*function != nullptr ? cudaSuccess : cudaErrorSymbolNotFound);
}
