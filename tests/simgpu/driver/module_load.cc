#include <algorithm>
#include <unordered_set>

#include "core/config.h"
#include "core/kernels.h"
#include "driver/module.h"

namespace simgpu::driver {
namespace {

constexpr int kSharedBytes = 49152;  // of a block without cuFuncSetAttribute

std::unordered_set<const void*>& modules() {
  static auto* all = new std::unordered_set<const void*>;
  return *all;
}

std::unordered_set<const void*>& functions() {
  static auto* all = new std::unordered_set<const void*>;
  return *all;
}

std::unique_ptr<Function> make_function(const KernelImage& kernel, Module& module,
                                        int architecture) {
  auto made = std::make_unique<Function>();
  made->kernel = kernel;
  made->module = &module;
  made->architecture = architecture;
  made->dynamic_shared_bytes = std::max(0, kSharedBytes - kernel.static_shared_bytes);
  functions().insert(made.get());
  kernels::add(made.get(), kernel.name.c_str());
  return made;
}

}  // namespace

CUresult load_module(const void* data, Module** made) {
  Image image;
  if (const CUresult status = read_image(data, image); status != CUDA_SUCCESS) {
    return status;
  }
  const DeviceSpec& spec = spec_of(current_device());
  if (!runs_on(image, spec.major, spec.minor)) {
    return CUDA_ERROR_NO_BINARY_FOR_GPU;
  }
  auto* const module = new Module;
  for (const KernelImage& kernel : image.kernels) {
    module->functions.push_back(make_function(kernel, *module, image.architecture));
  }
  modules().insert(module);
  *made = module;
  return CUDA_SUCCESS;
}

Module* module_of(void* handle) {
  return modules().contains(handle) ? static_cast<Module*>(handle) : nullptr;
}

Function* function_of(void* handle) {
  return functions().contains(handle) ? static_cast<Function*>(handle) : nullptr;
}

Function* find_function(Module& module, const char* name) {
  const auto at = std::find_if(module.functions.begin(), module.functions.end(),
                               [&](const auto& one) { return one->kernel.name == name; });
  return at == module.functions.end() ? nullptr : at->get();
}

void unload(Module* module) {
  for (const auto& function : module->functions) {
    functions().erase(function.get());
  }
  modules().erase(module);
  delete module;
}

}  // namespace simgpu::driver
