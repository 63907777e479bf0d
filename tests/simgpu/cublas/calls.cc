#include "cublas/calls.h"

#include <algorithm>
#include <cstdio>
#include <cstring>

#include "core/cost.h"
#include "core/process.h"

namespace simgpu::cublas {

bool reads_c(cublasHandle_t handle, const void* beta, cudaDataType_t scale) {
  if (handle->pointers == CUBLAS_POINTER_MODE_DEVICE || beta == nullptr) {
    return true;
  }
  static const char kZero[16] = {};
  return std::memcmp(beta, kZero, static_cast<std::size_t>(element_bytes(scale))) != 0;
}

const char* routine_name(char letter, const char* routine) {
  char name[96];
  std::snprintf(name, sizeof(name), "cublas_%c%s_kernel", letter, routine);
  return intern(name);
}

cublasStatus_t submit_simple(cublasHandle_t handle, const char* name, double flops, FlopType type,
                             double bytes) {
  constexpr double kBytesABlock = 256 * 16;
  const double blocks = bytes / kBytesABlock;
  return as_status(
      submit_kernel(handle->stream, name, flops, type, bytes,
                    blocks < 1 ? 1U : static_cast<std::uint32_t>(blocks < 65535 ? blocks : 65535)));
}

cublasStatus_t submit_with_statuses(cublasHandle_t handle, const char* name, double flops,
                                    FlopType type, double bytes, int* statuses, int count) {
  if (statuses == nullptr) {
    return submit_simple(handle, name, flops, type, bytes);
  }
  Submission kernel;
  kernel.what.kind = OpKind::kKernel;
  kernel.what.name = name;
  kernel.what.duration = kernel_time(device_of(handle->stream), flops, type, bytes);
  kernel.what.grid = {static_cast<std::uint32_t>(count), 1, 1};
  kernel.what.block = {256, 1, 1};
  kernel.effect = [statuses, count] { std::fill_n(statuses, count, 0); };
  return as_status(submit(handle->stream, std::move(kernel)));
}

cublasStatus_t give_scalar(cublasHandle_t handle, cublasStatus_t status, void* result,
                           std::size_t bytes) {
  if (status != CUBLAS_STATUS_SUCCESS || handle->pointers == CUBLAS_POINTER_MODE_DEVICE ||
      result == nullptr) {
    return status;
  }
  std::memset(result, 0, bytes);
  std::shared_ptr<Mark> reached;
  {
    const Locked guard(process().lock);
    Stream* const stream = stream_of(handle->stream);
    if (stream == nullptr || stream->capture != nullptr) {
      return CUBLAS_STATUS_EXECUTION_FAILED;
    }
    reached = mark_of(*stream);
  }
  return as_status(wait_for(reached));
}

}  // namespace simgpu::cublas
