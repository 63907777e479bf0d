// CUDA Driver API, "Library Management".
#include "driver/module.h"

namespace {

using simgpu::Locked;
using simgpu::process;
namespace driver = simgpu::driver;

}  // namespace

extern "C" {

// Options of the compiler and of the library change nothing.
CUresult cuLibraryLoadData(CUlibrary* made, const void* image, CUjit_option* /*options*/,
                           void** /*values*/, unsigned /*count*/, CUlibraryOption* /*of_library*/,
                           void** /*values_of_library*/, unsigned /*count_of_library*/) {
  SIMGPU_DRIVER_BEGIN(cuLibraryLoadData)
  SIMGPU_DRIVER_REQUIRE(made != nullptr && image != nullptr)
  const Locked guard(process().lock);
  driver::Module* module = nullptr;
  const CUresult status = driver::load_module(image, &module);
  *made = reinterpret_cast<CUlibrary>(module);
  SIMGPU_DRIVER_RETURN(status);
}

CUresult cuLibraryUnload(CUlibrary handle) {
  SIMGPU_DRIVER_BEGIN(cuLibraryUnload)
  const Locked guard(process().lock);
  driver::Module* const module = driver::module_of(handle);
  if (module == nullptr) {
    SIMGPU_DRIVER_RETURN(CUDA_ERROR_INVALID_HANDLE);
  }
  driver::unload(module);
  SIMGPU_DRIVER_RETURN(CUDA_SUCCESS);
}

CUresult cuLibraryGetKernel(CUkernel* told, CUlibrary handle, const char* name) {
  SIMGPU_DRIVER_BEGIN(cuLibraryGetKernel)
  SIMGPU_DRIVER_REQUIRE(told != nullptr && name != nullptr)
  const Locked guard(process().lock);
  driver::Module* const module = driver::module_of(handle);
  if (module == nullptr) {
    SIMGPU_DRIVER_RETURN(CUDA_ERROR_INVALID_HANDLE);
  }
  driver::Function* const function = driver::find_function(*module, name);
  *told = reinterpret_cast<CUkernel>(function);
  SIMGPU_DRIVER_RETURN(function != nullptr ? CUDA_SUCCESS : CUDA_ERROR_NOT_FOUND);
}

CUresult cuLibraryGetModule(CUmodule* told, CUlibrary handle) {
  SIMGPU_DRIVER_BEGIN_IN_CONTEXT(cuLibraryGetModule)
  SIMGPU_DRIVER_REQUIRE(told != nullptr)
  const Locked guard(process().lock);
  *told = reinterpret_cast<CUmodule>(driver::module_of(handle));
  SIMGPU_DRIVER_RETURN(*told != nullptr ? CUDA_SUCCESS : CUDA_ERROR_INVALID_HANDLE);
}

CUresult cuKernelGetFunction(CUfunction* told, CUkernel handle) {
  SIMGPU_DRIVER_BEGIN_IN_CONTEXT(cuKernelGetFunction)
  SIMGPU_DRIVER_REQUIRE(told != nullptr)
  const Locked guard(process().lock);
  *told = reinterpret_cast<CUfunction>(driver::function_of(handle));
  SIMGPU_DRIVER_RETURN(*told != nullptr ? CUDA_SUCCESS : CUDA_ERROR_INVALID_HANDLE);
}
}
