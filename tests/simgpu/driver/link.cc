// CUDA Driver API, "Module Management": the linker. It gives back the first image it was given:
// what is linked is one piece of PTX that NVRTC made.
#include <string>
#include <unordered_set>

#include "driver/image.h"

namespace {

using simgpu::Locked;
using simgpu::process;

struct Linker {
  std::string image;
};

std::unordered_set<void*>& linkers() {
  static auto* all = new std::unordered_set<void*>;
  return *all;
}

Linker* linker_of(CUlinkState handle) {
  return linkers().contains(handle) ? reinterpret_cast<Linker*>(handle) : nullptr;
}

}  // namespace

extern "C" {

CUresult cuLinkCreate_v2(unsigned /*count*/, CUjit_option* /*options*/, void** /*values*/,
                         CUlinkState* made) {
  SIMGPU_DRIVER_BEGIN_IN_CONTEXT(cuLinkCreate_v2)
  SIMGPU_DRIVER_REQUIRE(made != nullptr)
  const Locked guard(process().lock);
  auto* const linker = new Linker;
  linkers().insert(linker);
  *made = reinterpret_cast<CUlinkState>(linker);
  SIMGPU_DRIVER_RETURN(CUDA_SUCCESS);
}

CUresult cuLinkAddData_v2(CUlinkState handle, CUjitInputType /*type*/, void* data, size_t bytes,
                          const char* /*name*/, unsigned /*count*/, CUjit_option* /*options*/,
                          void** /*values*/) {
  SIMGPU_DRIVER_BEGIN_IN_CONTEXT(cuLinkAddData_v2)
  const Locked guard(process().lock);
  Linker* const linker = linker_of(handle);
  if (linker == nullptr) {
    SIMGPU_DRIVER_RETURN(CUDA_ERROR_INVALID_HANDLE);
  }
  SIMGPU_DRIVER_REQUIRE(data != nullptr && bytes > 0)
  if (!linker->image.empty()) {
    SIMGPU_DRIVER_RETURN(CUDA_ERROR_NOT_SUPPORTED);
  }
  linker->image.assign(static_cast<const char*>(data), bytes);
  simgpu::driver::Image read;
  SIMGPU_DRIVER_RETURN(simgpu::driver::read_image(linker->image.c_str(), read));
}

CUresult cuLinkComplete(CUlinkState handle, void** image, size_t* bytes) {
  SIMGPU_DRIVER_BEGIN_IN_CONTEXT(cuLinkComplete)
  const Locked guard(process().lock);
  Linker* const linker = linker_of(handle);
  if (linker == nullptr) {
    SIMGPU_DRIVER_RETURN(CUDA_ERROR_INVALID_HANDLE);
  }
  SIMGPU_DRIVER_REQUIRE(image != nullptr)
  *image = linker->image.data();
  if (bytes != nullptr) {
    *bytes = linker->image.size();
  }
  SIMGPU_DRIVER_RETURN(CUDA_SUCCESS);
}

CUresult cuLinkDestroy(CUlinkState handle) {
  SIMGPU_DRIVER_BEGIN(cuLinkDestroy)
  const Locked guard(process().lock);
  Linker* const linker = linker_of(handle);
  if (linker == nullptr) {
    SIMGPU_DRIVER_RETURN(CUDA_ERROR_INVALID_HANDLE);
  }
  linkers().erase(linker);
  delete linker;
  SIMGPU_DRIVER_RETURN(CUDA_SUCCESS);
}
}
