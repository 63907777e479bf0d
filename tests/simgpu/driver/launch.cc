// CUDA Driver API, "Execution Control": launches.
#include <cupti.h>  // brings generated_cuda_meta.h with what that one needs

#include <array>

#include "core/device_attributes.h"
#include "core/kernels.h"
#include "driver/compiled_kernel.h"
#include "driver/module.h"
#include "driver/occupancy.h"

namespace {

using simgpu::Locked;
using simgpu::process;
namespace driver = simgpu::driver;

using Size = std::array<unsigned, 3>;

unsigned product(const Size& size) { return size[0] * size[1] * size[2]; }

bool has_none(const Size& size) { return size[0] == 0 || size[1] == 0 || size[2] == 0; }

bool is_within(unsigned number, CUdevice_attribute limit) {
  return number <= static_cast<unsigned>(simgpu::device_attribute(simgpu::current_device(), limit));
}

CUresult check(const driver::Function& function, const Size& grid, const Size& block,
               unsigned shared) {
  const bool fits = !has_none(grid) && !has_none(block) &&
                    is_within(grid[0], CU_DEVICE_ATTRIBUTE_MAX_GRID_DIM_X) &&
                    is_within(grid[1], CU_DEVICE_ATTRIBUTE_MAX_GRID_DIM_Y) &&
                    is_within(grid[2], CU_DEVICE_ATTRIBUTE_MAX_GRID_DIM_Z) &&
                    is_within(block[0], CU_DEVICE_ATTRIBUTE_MAX_BLOCK_DIM_X) &&
                    is_within(block[1], CU_DEVICE_ATTRIBUTE_MAX_BLOCK_DIM_Y) &&
                    is_within(block[2], CU_DEVICE_ATTRIBUTE_MAX_BLOCK_DIM_Z) &&
                    product(block) <= static_cast<unsigned>(function.kernel.most_threads) &&
                    shared <= static_cast<unsigned>(function.dynamic_shared_bytes);
  if (!fits) {
    return CUDA_ERROR_INVALID_VALUE;
  }
  return driver::blocks_of_multiprocessor(function, static_cast<int>(product(block)), shared) > 0
             ? CUDA_SUCCESS
             : CUDA_ERROR_LAUNCH_OUT_OF_RESOURCES;
}

// All blocks must be on the device at once.
CUresult check_cooperative(const driver::Function& function, const Size& grid, const Size& block,
                           unsigned shared) {
  const int at_once =
      driver::blocks_of_multiprocessor(function, static_cast<int>(product(block)), shared) *
      simgpu::device_attribute(simgpu::current_device(), CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT);
  return product(grid) <= static_cast<unsigned>(at_once) ? CUDA_SUCCESS
                                                         : CUDA_ERROR_COOPERATIVE_LAUNCH_TOO_LARGE;
}

struct Shape {
  Size grid, block;
  unsigned shared = 0;
  bool cooperative = false;
};

simgpu::Status launch(CUfunction handle, const Shape& shape, CUstream stream, void** arguments) {
  double moved_bytes = 0;
  {
    const Locked guard(process().lock);
    const driver::Function* const function = driver::function_of(handle);
    if (function == nullptr) {
      return CUDA_ERROR_INVALID_HANDLE;
    }
    CUresult refused = check(*function, shape.grid, shape.block, shape.shared);
    if (refused == CUDA_SUCCESS && shape.cooperative) {
      refused = check_cooperative(*function, shape.grid, shape.block, shape.shared);
    }
    if (refused != CUDA_SUCCESS) {
      return refused;
    }
    moved_bytes = driver::moved_bytes(function->kernel, arguments, shape.grid[1]);
  }
  return simgpu::kernels::launch(stream, {.function = handle,
                                          .grid = shape.grid,
                                          .block = shape.block,
                                          .arguments = arguments,
                                          .shared_bytes = shape.shared,
                                          .moved_bytes = moved_bytes});
}

// What a launch's attributes ask for; those that are hints change nothing.
CUresult read_attributes(const CUlaunchConfig& how, Shape& shape) {
  for (unsigned i = 0; i < how.numAttrs; ++i) {
    const CUlaunchAttribute& attribute = how.attrs[i];
    if (attribute.id == CU_LAUNCH_ATTRIBUTE_COOPERATIVE) {
      shape.cooperative = attribute.value.cooperative != 0;
    } else if (attribute.id == CU_LAUNCH_ATTRIBUTE_CLUSTER_DIMENSION) {
      const Size cluster{attribute.value.clusterDim.x, attribute.value.clusterDim.y,
                         attribute.value.clusterDim.z};
      for (std::size_t j = 0; j < cluster.size(); ++j) {
        if (cluster[j] == 0 || shape.grid[j] % cluster[j] != 0) {
          return CUDA_ERROR_INVALID_CLUSTER_SIZE;
        }
      }
    }
  }
  return CUDA_SUCCESS;
}

}  // namespace

// First line of a launch: CUPTI's callbacks show its parameters and the kernel's name.
#define SIMGPU_DRIVER_LAUNCHES(function, kernel, ...)                                           \
  static simgpu::ApiEntry simgpu_entry_(#function, simgpu::ApiDomain::kDriver);                 \
  const function##_params simgpu_parameters_ = {__VA_ARGS__};                                   \
  simgpu::ApiScope simgpu_scope_(                                                               \
      simgpu_entry_, &simgpu_parameters_,                                                       \
      simgpu::observer() != nullptr ? simgpu::kernels::name_of(kernel) : nullptr);              \
  if (const auto refused = simgpu::driver::refusal_in_context(); refused != simgpu::kSuccess) { \
    SIMGPU_DRIVER_RETURN(refused);                                                              \
  }

extern "C" {

CUresult cuLaunchKernel(CUfunction function, unsigned grid_x, unsigned grid_y, unsigned grid_z,
                        unsigned block_x, unsigned block_y, unsigned block_z, unsigned shared,
                        CUstream stream, void** arguments, void** extra) {
  SIMGPU_DRIVER_LAUNCHES(cuLaunchKernel, function, function, grid_x, grid_y, grid_z, block_x,
                         block_y, block_z, shared, stream, arguments, extra)
  const Shape shape{{grid_x, grid_y, grid_z}, {block_x, block_y, block_z}, shared};
  SIMGPU_DRIVER_RETURN(launch(function, shape, stream, arguments));
}

CUresult cuLaunchCooperativeKernel(CUfunction function, unsigned grid_x, unsigned grid_y,
                                   unsigned grid_z, unsigned block_x, unsigned block_y,
                                   unsigned block_z, unsigned shared, CUstream stream,
                                   void** arguments) {
  SIMGPU_DRIVER_LAUNCHES(cuLaunchCooperativeKernel, function, function, grid_x, grid_y, grid_z,
                         block_x, block_y, block_z, shared, stream, arguments)
  const Shape shape{{grid_x, grid_y, grid_z}, {block_x, block_y, block_z}, shared, true};
  SIMGPU_DRIVER_RETURN(launch(function, shape, stream, arguments));
}

CUresult cuLaunchKernelEx(const CUlaunchConfig* how, CUfunction function, void** arguments,
                          void** extra) {
  SIMGPU_DRIVER_LAUNCHES(cuLaunchKernelEx, function, how, function, arguments, extra)
  SIMGPU_DRIVER_REQUIRE(how != nullptr)
  Shape shape{{how->gridDimX, how->gridDimY, how->gridDimZ},
              {how->blockDimX, how->blockDimY, how->blockDimZ},
              how->sharedMemBytes};
  if (const CUresult refused = read_attributes(*how, shape); refused != CUDA_SUCCESS) {
    SIMGPU_DRIVER_RETURN(refused);
  }
  SIMGPU_DRIVER_RETURN(launch(function, shape, how->hStream, arguments));
}
}
