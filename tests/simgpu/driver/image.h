// Kernels of an image that cuModuleLoadData is given: PTX, or a cubin (an ELF file for one
// architecture).
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "driver/status.h"

namespace simgpu::driver {

struct Parameter {
  std::uint32_t offset = 0, bytes = 0;
};

struct KernelImage {
  std::string name;
  int registers = 32;  // of PTX: not known, as no compiler is at hand
  int static_shared_bytes = 0;
  int local_bytes = 0;
  int most_threads = 1024;
  std::vector<Parameter> parameters;  // of a cubin; empty for PTX
};

struct Image {
  int architecture = 0;  // 90: compute capability 9.0
  bool is_ptx = false;
  std::vector<KernelImage> kernels;
};

// CUDA_ERROR_INVALID_IMAGE or CUDA_ERROR_INVALID_PTX for what is neither, CUDA_ERROR_NOT_SUPPORTED
// for a fat binary.
CUresult read_image(const void* data, Image& into);

CUresult read_cubin(const void* data, Image& into);
CUresult read_ptx(const char* text, Image& into);

// Whether a device can run it: CUDA C++ Programming Guide, "Binary Compatibility" and "PTX
// Compatibility".
bool runs_on(const Image& image, int major, int minor);

}  // namespace simgpu::driver
