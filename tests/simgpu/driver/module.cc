// CUDA Driver API, "Module Management".
#include "driver/module.h"

#include <fstream>
#include <iterator>
#include <string>

namespace {

using simgpu::Locked;
using simgpu::process;
namespace driver = simgpu::driver;

CUresult load(CUmodule* made, const void* image) {
  if (made == nullptr || image == nullptr) {
    return CUDA_ERROR_INVALID_VALUE;
  }
  const Locked guard(process().lock);
  driver::Module* module = nullptr;
  const CUresult status = driver::load_module(image, &module);
  if (status == CUDA_SUCCESS) {
    *made = reinterpret_cast<CUmodule>(module);
  }
  return status;
}

CUresult load_file(CUmodule* made, const char* path) {
  if (path == nullptr) {
    return CUDA_ERROR_INVALID_VALUE;
  }
  std::ifstream file(path, std::ios::binary);
  if (!file) {
    return CUDA_ERROR_FILE_NOT_FOUND;
  }
  const std::string image{std::istreambuf_iterator<char>(file), {}};
  return load(made, image.c_str());
}

}  // namespace

extern "C" {

CUresult cuModuleLoadData(CUmodule* made, const void* image) {
  SIMGPU_DRIVER_BEGIN_IN_CONTEXT(cuModuleLoadData)
  SIMGPU_DRIVER_RETURN(load(made, image));
}

// Options of the compiler change nothing: none runs.
CUresult cuModuleLoadDataEx(CUmodule* made, const void* image, unsigned /*count*/,
                            CUjit_option* /*options*/, void** /*values*/) {
  SIMGPU_DRIVER_BEGIN_IN_CONTEXT(cuModuleLoadDataEx)
  SIMGPU_DRIVER_RETURN(load(made, image));
}

CUresult cuModuleLoad(CUmodule* made, const char* path) {
  SIMGPU_DRIVER_BEGIN_IN_CONTEXT(cuModuleLoad)
  SIMGPU_DRIVER_RETURN(load_file(made, path));
}

CUresult cuModuleUnload(CUmodule handle) {
  SIMGPU_DRIVER_BEGIN_IN_CONTEXT(cuModuleUnload)
  const Locked guard(process().lock);
  driver::Module* const module = driver::module_of(handle);
  if (module == nullptr) {
    SIMGPU_DRIVER_RETURN(CUDA_ERROR_INVALID_HANDLE);
  }
  driver::unload(module);
  SIMGPU_DRIVER_RETURN(CUDA_SUCCESS);
}

CUresult cuModuleGetFunction(CUfunction* told, CUmodule handle, const char* name) {
  SIMGPU_DRIVER_BEGIN_IN_CONTEXT(cuModuleGetFunction)
  SIMGPU_DRIVER_REQUIRE(told != nullptr && name != nullptr)
  const Locked guard(process().lock);
  driver::Module* const module = driver::module_of(handle);
  if (module == nullptr) {
    SIMGPU_DRIVER_RETURN(CUDA_ERROR_INVALID_HANDLE);
  }
  driver::Function* const function = driver::find_function(*module, name);
  *told = reinterpret_cast<CUfunction>(function);
  SIMGPU_DRIVER_RETURN(function != nullptr ? CUDA_SUCCESS : CUDA_ERROR_NOT_FOUND);
}

CUresult cuModuleGetFunctionCount(unsigned* count, CUmodule handle) {
  SIMGPU_DRIVER_BEGIN(cuModuleGetFunctionCount)
  SIMGPU_DRIVER_REQUIRE(count != nullptr)
  const Locked guard(process().lock);
  const driver::Module* const module = driver::module_of(handle);
  if (module == nullptr) {
    SIMGPU_DRIVER_RETURN(CUDA_ERROR_INVALID_HANDLE);
  }
  *count = static_cast<unsigned>(module->functions.size());
  SIMGPU_DRIVER_RETURN(CUDA_SUCCESS);
}

// Lazy loading (CUDA_MODULE_LOADING) is not simulated: a module is there as soon as it is loaded.
CUresult cuModuleGetLoadingMode(CUmoduleLoadingMode* mode) {
  SIMGPU_DRIVER_BEGIN(cuModuleGetLoadingMode)
  SIMGPU_DRIVER_REQUIRE(mode != nullptr)
  *mode = CU_MODULE_EAGER_LOADING;
  SIMGPU_DRIVER_RETURN(CUDA_SUCCESS);
}
}
