// Kernels: CUDA Runtime API, "Execution Control", "Occupancy", and the calls that nvcc puts into a
// program for its kernels.
#include <cuda_runtime_api.h>

#include <cstring>
#include <vector>

#include "core/config.h"
#include "core/kernels.h"
#include "runtime/status.h"

namespace {

struct Configuration {
  dim3 grid, block;
  size_t shared_bytes;
  void* stream;
};
thread_local std::vector<Configuration> configurations;

simgpu::Status launch(const void* function, dim3 grid, dim3 block, void** arguments,
                      size_t shared_bytes, cudaStream_t stream) {
  return simgpu::kernels::launch(stream,
                                 {.function = function,
                                  .grid = {grid.x, grid.y, grid.z},
                                  .block = {block.x, block.y, block.z},
                                  .arguments = arguments,
                                  .shared_bytes = static_cast<std::uint32_t>(shared_bytes)});
}

}  // namespace

// First line of a launch: CUPTI's callbacks name the kernel. `shown` is CUPTI's name of the
// function: since CUDA 13 a launch that nvcc compiled has one of its own, without a structure in
// NVIDIA's header.
#define SIMGPU_API_LAUNCHES(function, shown, structure, kernel, ...)                     \
  static simgpu::ApiEntry simgpu_entry_(#function, simgpu::ApiDomain::kRuntime, #shown); \
  const structure simgpu_parameters_ = {__VA_ARGS__};                                    \
  simgpu::ApiScope simgpu_scope_(                                                        \
      simgpu_entry_, &simgpu_parameters_,                                                \
      simgpu::observer() != nullptr ? simgpu::kernels::name_of(kernel) : nullptr)

extern "C" {

void** __cudaRegisterFatBinary(void*) {
  static void* handle = nullptr;
  return &handle;
}
void __cudaRegisterFatBinaryEnd(void**) {}
void __cudaUnregisterFatBinary(void**) {}
char __cudaInitModule(void**) { return 0; }
void __cudaRegisterVar(void**, char*, char*, const char*, int, size_t, int, int) {}

void __cudaRegisterFunction(void**, const char* function, char*, const char* name, int, void*,
                            void*, void*, void*, int*) {
  simgpu::kernels::add(function, name);
}

unsigned __cudaPushCallConfiguration(dim3 grid, dim3 block, size_t shared_bytes, void* stream) {
  configurations.push_back({grid, block, shared_bytes, stream});
  return 0;
}

cudaError_t __cudaPopCallConfiguration(dim3* grid, dim3* block, size_t* shared_bytes,
                                       void* stream) {
  const Configuration last = configurations.back();
  configurations.pop_back();
  *grid = last.grid;
  *block = last.block;
  *shared_bytes = last.shared_bytes;
  std::memcpy(stream, &last.stream, sizeof(void*));
  return cudaSuccess;
}

cudaError_t __cudaGetKernel(cudaKernel_t* kernel, const void* function) {
  *kernel = reinterpret_cast<cudaKernel_t>(const_cast<void*>(function));
  return cudaSuccess;
}

cudaError_t __cudaLaunchKernel(cudaKernel_t kernel, dim3 grid, dim3 block, void** arguments,
                               size_t shared_bytes, cudaStream_t stream) {
  SIMGPU_API_LAUNCHES(cudaLaunchKernel, __cudaLaunchKernel, cudaLaunchKernel_v7000_params, kernel,
                      kernel, grid, block, arguments, shared_bytes, stream);
  SIMGPU_RETURN(launch(kernel, grid, block, arguments, shared_bytes, stream));
}

cudaError_t cudaLaunchKernel(const void* function, dim3 grid, dim3 block, void** arguments,
                             size_t shared_bytes, cudaStream_t stream) {
  SIMGPU_API_LAUNCHES(cudaLaunchKernel, cudaLaunchKernel, cudaLaunchKernel_v7000_params, function,
                      function, grid, block, arguments, shared_bytes, stream);
  SIMGPU_RETURN(launch(function, grid, block, arguments, shared_bytes, stream));
}

cudaError_t cudaLaunchCooperativeKernel(const void* function, dim3 grid, dim3 block,
                                        void** arguments, size_t shared_bytes,
                                        cudaStream_t stream) {
  SIMGPU_API_LAUNCHES(cudaLaunchCooperativeKernel, cudaLaunchCooperativeKernel,
                      cudaLaunchCooperativeKernel_v9000_params, function, function, grid, block,
                      arguments, shared_bytes, stream);
  SIMGPU_RETURN(launch(function, grid, block, arguments, shared_bytes, stream));
}

cudaError_t cudaLaunchKernelExC(const cudaLaunchConfig_t* how, const void* function,
                                void** arguments) {
  SIMGPU_API_LAUNCHES(cudaLaunchKernelExC, cudaLaunchKernelExC, cudaLaunchKernelExC_v11060_params,
                      function, how, function, arguments);
  SIMGPU_RETURN(
      launch(function, how->gridDim, how->blockDim, arguments, how->dynamicSmemBytes, how->stream));
}

cudaError_t cudaFuncGetAttributes(cudaFuncAttributes* attributes, const void*) {
  SIMGPU_API(cudaFuncGetAttributes);
  const auto& spec = simgpu::spec_of(simgpu::current_device());
  std::memset(attributes, 0, sizeof(*attributes));
  attributes->maxThreadsPerBlock = 1024;
  attributes->numRegs = 32;
  attributes->binaryVersion = attributes->ptxVersion = spec.major * 10 + spec.minor;
  attributes->maxDynamicSharedSizeBytes = 49152;
  SIMGPU_RETURN(cudaSuccess);
}

cudaError_t cudaFuncSetAttribute(const void*, cudaFuncAttribute, int) { return cudaSuccess; }
cudaError_t cudaKernelSetAttributeForDevice(cudaKernel_t, cudaFuncAttribute, int, int) {
  return cudaSuccess;
}

// Four blocks a multiprocessor, whatever the kernel: its registers are not known.
cudaError_t cudaOccupancyMaxActiveBlocksPerMultiprocessor(int* blocks, const void*, int, size_t) {
  *blocks = 4;
  return cudaSuccess;
}
cudaError_t cudaOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(int* blocks, const void*, int,
                                                                   size_t, unsigned) {
  *blocks = 4;
  return cudaSuccess;
}

cudaError_t cudaLibraryLoadData(cudaLibrary_t*, const void*, cudaJitOption*, void**, unsigned,
                                cudaLibraryOption*, void**, unsigned) {
  return cudaErrorNotSupported;
}
cudaError_t cudaLibraryGetKernel(cudaKernel_t*, cudaLibrary_t, const char*) {
  return cudaErrorNotSupported;
}
cudaError_t cudaLibraryUnload(cudaLibrary_t) { return cudaErrorNotSupported; }
}
