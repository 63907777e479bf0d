// CUDA Driver API, "Occupancy".
#include "driver/occupancy.h"

#include <algorithm>

#include "core/device_attributes.h"

namespace simgpu::driver {
namespace {

constexpr int kWarp = 32;
constexpr int kRegistersAtOnce = 256;  // a warp gets them in such parts
constexpr int kSharedAtOnce = 128;

int of_device(CUdevice_attribute which) { return device_attribute(current_device(), which); }

int rounded(int number, int to) { return (number + to - 1) / to * to; }

int warps_of(int threads) { return (threads + kWarp - 1) / kWarp; }

int registers_of(const Function& function, int threads) {
  return warps_of(threads) * rounded(function.kernel.registers * kWarp, kRegistersAtOnce);
}

}  // namespace

int blocks_of_multiprocessor(const Function& function, int threads, std::size_t dynamic_shared) {
  if (threads <= 0 || threads > function.kernel.most_threads ||
      dynamic_shared > static_cast<std::size_t>(function.dynamic_shared_bytes)) {
    return 0;
  }
  const int shared =
      rounded(function.kernel.static_shared_bytes + static_cast<int>(dynamic_shared) +
                  of_device(CU_DEVICE_ATTRIBUTE_RESERVED_SHARED_MEMORY_PER_BLOCK),
              kSharedAtOnce);
  const int registers = registers_of(function, threads);
  int blocks = of_device(CU_DEVICE_ATTRIBUTE_MAX_BLOCKS_PER_MULTIPROCESSOR);
  blocks = std::min(blocks, of_device(CU_DEVICE_ATTRIBUTE_MAX_THREADS_PER_MULTIPROCESSOR) /
                                (warps_of(threads) * kWarp));
  blocks = std::min(blocks, of_device(CU_DEVICE_ATTRIBUTE_MAX_REGISTERS_PER_MULTIPROCESSOR) /
                                std::max(registers, 1));
  return std::min(blocks, of_device(CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_MULTIPROCESSOR) /
                              std::max(shared, 1));
}

}  // namespace simgpu::driver

namespace {

namespace driver = simgpu::driver;

CUresult max_active(int* blocks, CUfunction handle, int threads, size_t dynamic_shared) {
  const simgpu::Locked guard(simgpu::process().lock);
  const driver::Function* const function = driver::function_of(handle);
  if (function == nullptr) {
    return CUDA_ERROR_INVALID_HANDLE;
  }
  if (blocks == nullptr || threads <= 0) {
    return CUDA_ERROR_INVALID_VALUE;
  }
  *blocks = driver::blocks_of_multiprocessor(*function, threads, dynamic_shared);
  return CUDA_SUCCESS;
}

}  // namespace

extern "C" {

CUresult cuOccupancyMaxActiveBlocksPerMultiprocessor(int* blocks, CUfunction function, int threads,
                                                     size_t dynamic_shared) {
  SIMGPU_DRIVER_BEGIN_IN_CONTEXT(cuOccupancyMaxActiveBlocksPerMultiprocessor)
  SIMGPU_DRIVER_RETURN(max_active(blocks, function, threads, dynamic_shared));
}

CUresult cuOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(int* blocks, CUfunction function,
                                                              int threads, size_t dynamic_shared,
                                                              unsigned /*flags*/) {
  SIMGPU_DRIVER_BEGIN_IN_CONTEXT(cuOccupancyMaxActiveBlocksPerMultiprocessorWithFlags)
  SIMGPU_DRIVER_RETURN(max_active(blocks, function, threads, dynamic_shared));
}

// The threads with which most of a multiprocessor's threads are in use.
CUresult cuOccupancyMaxPotentialBlockSize(int* least_grid, int* threads, CUfunction handle,
                                          CUoccupancyB2DSize shared_for, size_t dynamic_shared,
                                          int most_threads) {
  SIMGPU_DRIVER_BEGIN_IN_CONTEXT(cuOccupancyMaxPotentialBlockSize)
  SIMGPU_DRIVER_REQUIRE(least_grid != nullptr && threads != nullptr)
  const simgpu::Locked guard(simgpu::process().lock);
  const driver::Function* const function = driver::function_of(handle);
  if (function == nullptr) {
    SIMGPU_DRIVER_RETURN(CUDA_ERROR_INVALID_HANDLE);
  }
  const int limit = most_threads > 0 ? std::min(most_threads, function->kernel.most_threads)
                                     : function->kernel.most_threads;
  int best = 0;
  for (int tried = limit; tried > 0; tried = (tried - 1) / driver::kWarp * driver::kWarp) {
    const size_t shared = shared_for != nullptr ? shared_for(tried) : dynamic_shared;
    const int blocks = driver::blocks_of_multiprocessor(*function, tried, shared);
    if (blocks * tried > best) {
      best = blocks * tried;
      *threads = tried;
      *least_grid = blocks * driver::of_device(CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT);
    }
  }
  SIMGPU_DRIVER_RETURN(best > 0 ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE);
}

// Clusters need not lie within one group of multiprocessors here, so that as many are active as
// their blocks allow.
CUresult cuOccupancyMaxActiveClusters(int* clusters, CUfunction handle, const CUlaunchConfig* how) {
  SIMGPU_DRIVER_BEGIN_IN_CONTEXT(cuOccupancyMaxActiveClusters)
  SIMGPU_DRIVER_REQUIRE(clusters != nullptr && how != nullptr)
  int blocks = 0;
  const int threads = static_cast<int>(how->blockDimX * how->blockDimY * how->blockDimZ);
  if (const CUresult status = max_active(&blocks, handle, threads, how->sharedMemBytes);
      status != CUDA_SUCCESS) {
    SIMGPU_DRIVER_RETURN(status);
  }
  unsigned size = 1;
  for (unsigned i = 0; i < how->numAttrs; ++i) {
    if (how->attrs[i].id == CU_LAUNCH_ATTRIBUTE_CLUSTER_DIMENSION) {
      const auto& cluster = how->attrs[i].value.clusterDim;
      size = std::max(1U, cluster.x * cluster.y * cluster.z);
    }
  }
  *clusters =
      blocks * driver::of_device(CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT) / static_cast<int>(size);
  SIMGPU_DRIVER_RETURN(CUDA_SUCCESS);
}
}
