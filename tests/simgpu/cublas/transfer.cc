// cuBLAS guide, "cuBLAS Helper Function Reference": cublasSetVectorAsync() and its like. Strided
// copies; vectors are matrices of one row.
#include "core/copy.h"
#include "cublas/calls.h"

namespace {

// Matrices lie column by column: a column is a row of the copy.
cublasStatus_t transfer(std::size_t row_bytes, int rows, const void* from, std::size_t from_pitch,
                        void* to, std::size_t to_pitch, CUstream_st* stream) {
  if (rows <= 0 || row_bytes == 0) {
    return CUBLAS_STATUS_SUCCESS;
  }
  const simgpu::Copy what{.to = to,
                          .from = from,
                          .row_bytes = row_bytes,
                          .rows = static_cast<std::size_t>(rows),
                          .to_pitch = to_pitch,
                          .from_pitch = from_pitch};
  return simgpu::cublas::as_status(simgpu::copy(stream, what, true));
}

cublasStatus_t vector(int n, int element, const void* from, int from_stride, void* to,
                      int to_stride, CUstream_st* stream) {
  if (n < 0 || element <= 0 || from_stride <= 0 || to_stride <= 0) {
    return CUBLAS_STATUS_INVALID_VALUE;
  }
  const auto bytes = static_cast<std::size_t>(element);
  if (from_stride == 1 && to_stride == 1) {
    return transfer(bytes * static_cast<std::size_t>(n), 1, from, 0, to, 0, stream);
  }
  return transfer(bytes, n, from, bytes * static_cast<std::size_t>(from_stride), to,
                  bytes * static_cast<std::size_t>(to_stride), stream);
}

cublasStatus_t matrix(int rows, int columns, int element, const void* from, int from_ld, void* to,
                      int to_ld, CUstream_st* stream) {
  if (rows < 0 || columns < 0 || element <= 0 || from_ld < rows || to_ld < rows) {
    return CUBLAS_STATUS_INVALID_VALUE;
  }
  const auto bytes = static_cast<std::size_t>(element);
  return transfer(bytes * static_cast<std::size_t>(rows), columns, from,
                  bytes * static_cast<std::size_t>(from_ld), to,
                  bytes * static_cast<std::size_t>(to_ld), stream);
}

}  // namespace

extern "C" {

cublasStatus_t cublasSetVectorAsync(int n, int element, const void* host, int host_stride,
                                    void* device, int device_stride, CUstream_st* stream) {
  SIMGPU_LIBRARY_API(cublasSetVectorAsync);
  return simgpu_scope_.ends(vector(n, element, host, host_stride, device, device_stride, stream));
}

cublasStatus_t cublasGetVectorAsync(int n, int element, const void* device, int device_stride,
                                    void* host, int host_stride, CUstream_st* stream) {
  SIMGPU_LIBRARY_API(cublasGetVectorAsync);
  return simgpu_scope_.ends(vector(n, element, device, device_stride, host, host_stride, stream));
}

cublasStatus_t cublasSetMatrixAsync(int rows, int columns, int element, const void* host,
                                    int host_ld, void* device, int device_ld, CUstream_st* stream) {
  SIMGPU_LIBRARY_API(cublasSetMatrixAsync);
  return simgpu_scope_.ends(
      matrix(rows, columns, element, host, host_ld, device, device_ld, stream));
}

cublasStatus_t cublasGetMatrixAsync(int rows, int columns, int element, const void* device,
                                    int device_ld, void* host, int host_ld, CUstream_st* stream) {
  SIMGPU_LIBRARY_API(cublasGetMatrixAsync);
  return simgpu_scope_.ends(
      matrix(rows, columns, element, device, device_ld, host, host_ld, stream));
}
}
