// Modules and functions. A CUlibrary is a CUmodule here, and a CUkernel a CUfunction: each is
// loaded once for all devices.
#pragma once

#include <memory>
#include <vector>

#include "driver/image.h"

namespace simgpu::driver {

struct Module;

struct Function {
  KernelImage kernel;
  Module* module = nullptr;
  int architecture = 0;
  int dynamic_shared_bytes = 0;  // the most that a launch may ask for
  bool non_portable_cluster = false;
};

struct Module {
  std::vector<std::unique_ptr<Function>> functions;
};

// All with the process's lock held.

CUresult load_module(const void* image, Module** made);
Module* module_of(void* handle);      // null where it is none of ours
Function* function_of(void* handle);  // likewise; of a module that is still loaded
Function* find_function(Module& module, const char* name);
void unload(Module* module);

}  // namespace simgpu::driver
