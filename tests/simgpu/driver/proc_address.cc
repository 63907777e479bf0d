// CUDA Driver API, "Driver Entry Point Access": functions by name, in the version that a CUDA
// version's header means by it.
#include <dlfcn.h>

#include <algorithm>
#include <array>
#include <string>
#include <string_view>

#include "driver/status.h"

namespace {

// Which symbol a name means from which version of CUDA on: cuda.h and cudaTypedefs.h, where it is
// not simply the newest.
struct Named {
  std::string_view name;
  int since;
  const char* symbol;
};
constexpr std::array kNamed{
    Named{"cuCtxCreate", 13000, "cuCtxCreate_v4"},
    Named{"cuCtxCreate", 3020, "cuCtxCreate_v2"},
    Named{"cuEventElapsedTime", 12080, "cuEventElapsedTime_v2"},
    Named{"cuEventElapsedTime", 2000, "cuEventElapsedTime"},
};

void* own_library() {
  static void* const own = [] {
    Dl_info found{};
    dladdr(reinterpret_cast<const void*>(&own_library), &found);
    return dlopen(found.dli_fname, RTLD_LAZY | RTLD_NOLOAD);
  }();
  return own;
}

const Named* special(std::string_view name, int version) {
  const auto* const at = std::find_if(kNamed.begin(), kNamed.end(), [&](const Named& one) {
    return one.name == name && version >= one.since;
  });
  return at == kNamed.end() ? nullptr : at;
}

void* find(const std::string& name, int version) {
  if (const Named* const named = special(name, version)) {
    return dlsym(own_library(), named->symbol);
  }
  for (const char* const suffix : {"_v3", "_v2", ""}) {
    if (void* const found = dlsym(own_library(), (name + suffix).c_str())) {
      return found;
    }
  }
  return nullptr;
}

}  // namespace

extern "C" {

CUresult cuGetProcAddress_v2(const char* name, void** function, int version, cuuint64_t flags,
                             CUdriverProcAddressQueryResult* result) {
  SIMGPU_DRIVER_API(cuGetProcAddress_v2);  // works before cuInit
  SIMGPU_DRIVER_REQUIRE(name != nullptr && function != nullptr)
  if ((flags & CU_GET_PROC_ADDRESS_PER_THREAD_DEFAULT_STREAM) != 0) {
    SIMGPU_DRIVER_RETURN(CUDA_ERROR_NOT_SUPPORTED);
  }
  *function = find(name, version);
  if (result != nullptr) {
    *result =
        *function != nullptr ? CU_GET_PROC_ADDRESS_SUCCESS : CU_GET_PROC_ADDRESS_SYMBOL_NOT_FOUND;
  }
  SIMGPU_DRIVER_RETURN(*function != nullptr || result != nullptr ? CUDA_SUCCESS
                                                                 : CUDA_ERROR_NOT_FOUND);
}

#undef cuGetProcAddress
CUresult cuGetProcAddress(const char* name, void** function, int version, cuuint64_t flags) {
  SIMGPU_DRIVER_API(cuGetProcAddress);
  SIMGPU_DRIVER_RETURN(cuGetProcAddress_v2(name, function, version, flags, nullptr));
}
}
