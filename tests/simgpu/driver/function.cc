// CUDA Driver API, "Execution Control": attributes of functions.
#include "core/device_attributes.h"
#include "driver/module.h"

namespace {

using simgpu::Locked;
using simgpu::process;
namespace driver = simgpu::driver;

CUresult attribute_of(const driver::Function& function, CUfunction_attribute which, int* told) {
  switch (which) {
    case CU_FUNC_ATTRIBUTE_MAX_THREADS_PER_BLOCK:
      *told = function.kernel.most_threads;
      return CUDA_SUCCESS;
    case CU_FUNC_ATTRIBUTE_SHARED_SIZE_BYTES:
      *told = function.kernel.static_shared_bytes;
      return CUDA_SUCCESS;
    case CU_FUNC_ATTRIBUTE_LOCAL_SIZE_BYTES:
      *told = function.kernel.local_bytes;
      return CUDA_SUCCESS;
    case CU_FUNC_ATTRIBUTE_NUM_REGS:
      *told = function.kernel.registers;
      return CUDA_SUCCESS;
    case CU_FUNC_ATTRIBUTE_PTX_VERSION:
    case CU_FUNC_ATTRIBUTE_BINARY_VERSION:
      *told = function.architecture;
      return CUDA_SUCCESS;
    case CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES:
      *told = function.dynamic_shared_bytes;
      return CUDA_SUCCESS;
    case CU_FUNC_ATTRIBUTE_PREFERRED_SHARED_MEMORY_CARVEOUT:
      *told = -1;  // the driver's choice
      return CUDA_SUCCESS;
    case CU_FUNC_ATTRIBUTE_NON_PORTABLE_CLUSTER_SIZE_ALLOWED:
      *told = static_cast<int>(function.non_portable_cluster);
      return CUDA_SUCCESS;
    case CU_FUNC_ATTRIBUTE_CONST_SIZE_BYTES:
    case CU_FUNC_ATTRIBUTE_CACHE_MODE_CA:
    case CU_FUNC_ATTRIBUTE_CLUSTER_SIZE_MUST_BE_SET:
    case CU_FUNC_ATTRIBUTE_REQUIRED_CLUSTER_WIDTH:
    case CU_FUNC_ATTRIBUTE_REQUIRED_CLUSTER_HEIGHT:
    case CU_FUNC_ATTRIBUTE_REQUIRED_CLUSTER_DEPTH:
    case CU_FUNC_ATTRIBUTE_CLUSTER_SCHEDULING_POLICY_PREFERENCE:
      *told = 0;
      return CUDA_SUCCESS;
    default:
      return CUDA_ERROR_INVALID_VALUE;
  }
}

CUresult set_attribute(driver::Function& function, CUfunction_attribute which, int value) {
  const int most_shared = simgpu::device_attribute(
      simgpu::current_device(), CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK_OPTIN);
  switch (which) {
    case CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES:
      if (value < 0 || value + function.kernel.static_shared_bytes > most_shared) {
        return CUDA_ERROR_INVALID_VALUE;
      }
      function.dynamic_shared_bytes = value;
      return CUDA_SUCCESS;
    case CU_FUNC_ATTRIBUTE_NON_PORTABLE_CLUSTER_SIZE_ALLOWED:
      function.non_portable_cluster = value != 0;
      return CUDA_SUCCESS;
    case CU_FUNC_ATTRIBUTE_PREFERRED_SHARED_MEMORY_CARVEOUT:
    case CU_FUNC_ATTRIBUTE_CLUSTER_SCHEDULING_POLICY_PREFERENCE:
      return CUDA_SUCCESS;  // hints
    default:
      return CUDA_ERROR_INVALID_VALUE;
  }
}

}  // namespace

#define SIMGPU_DRIVER_BEGIN_OF_FUNCTION(name, handle)             \
  SIMGPU_DRIVER_BEGIN(name)                                       \
  const Locked guard(process().lock);                             \
  driver::Function* const function = driver::function_of(handle); \
  if (function == nullptr) {                                      \
    SIMGPU_DRIVER_RETURN(CUDA_ERROR_INVALID_HANDLE);              \
  }

extern "C" {

CUresult cuFuncGetAttribute(int* told, CUfunction_attribute which, CUfunction handle) {
  SIMGPU_DRIVER_BEGIN_OF_FUNCTION(cuFuncGetAttribute, handle)
  SIMGPU_DRIVER_REQUIRE(told != nullptr)
  SIMGPU_DRIVER_RETURN(attribute_of(*function, which, told));
}

CUresult cuFuncSetAttribute(CUfunction handle, CUfunction_attribute which, int value) {
  SIMGPU_DRIVER_BEGIN_OF_FUNCTION(cuFuncSetAttribute, handle)
  SIMGPU_DRIVER_RETURN(set_attribute(*function, which, value));
}

CUresult cuFuncSetCacheConfig(CUfunction handle, CUfunc_cache /*preference*/) {
  SIMGPU_DRIVER_BEGIN_OF_FUNCTION(cuFuncSetCacheConfig, handle)
  SIMGPU_DRIVER_RETURN(CUDA_SUCCESS);
}

CUresult cuFuncGetModule(CUmodule* told, CUfunction handle) {
  SIMGPU_DRIVER_BEGIN_OF_FUNCTION(cuFuncGetModule, handle)
  SIMGPU_DRIVER_REQUIRE(told != nullptr)
  *told = reinterpret_cast<CUmodule>(function->module);
  SIMGPU_DRIVER_RETURN(CUDA_SUCCESS);
}

CUresult cuFuncGetName(const char** told, CUfunction handle) {
  SIMGPU_DRIVER_BEGIN_OF_FUNCTION(cuFuncGetName, handle)
  SIMGPU_DRIVER_REQUIRE(told != nullptr)
  *told = function->kernel.name.c_str();
  SIMGPU_DRIVER_RETURN(CUDA_SUCCESS);
}

CUresult cuFuncGetParamInfo(CUfunction handle, size_t index, size_t* offset, size_t* bytes) {
  SIMGPU_DRIVER_BEGIN_OF_FUNCTION(cuFuncGetParamInfo, handle)
  SIMGPU_DRIVER_REQUIRE(offset != nullptr && index < function->kernel.parameters.size())
  *offset = function->kernel.parameters[index].offset;
  if (bytes != nullptr) {
    *bytes = function->kernel.parameters[index].bytes;
  }
  SIMGPU_DRIVER_RETURN(CUDA_SUCCESS);
}

CUresult cuKernelGetAttribute(int* told, CUfunction_attribute which, CUkernel handle,
                              CUdevice /*device*/) {
  SIMGPU_DRIVER_BEGIN_OF_FUNCTION(cuKernelGetAttribute, handle)
  SIMGPU_DRIVER_REQUIRE(told != nullptr)
  SIMGPU_DRIVER_RETURN(attribute_of(*function, which, told));
}

CUresult cuKernelSetAttribute(CUfunction_attribute which, int value, CUkernel handle,
                              CUdevice /*device*/) {
  SIMGPU_DRIVER_BEGIN_OF_FUNCTION(cuKernelSetAttribute, handle)
  SIMGPU_DRIVER_RETURN(set_attribute(*function, which, value));
}
}
