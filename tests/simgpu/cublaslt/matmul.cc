// cuBLAS guide, "cuBLASLt API Reference": cublasLtMatmulAlgoGetHeuristic(), cublasLtMatmul().
#include <cstring>

#include "core/api.h"
#include "core/config.h"
#include "cublas/matrix_product.h"
#include "cublaslt/api.h"

namespace {

using simgpu::cublas::element_bytes;
using simgpu::cublas::MatrixProduct;

constexpr std::uint64_t kAlgorithm = 0x51a6;  // the one there is; the program only carries it

struct Layouts {
  const cublasLtMatrixLayoutOpaque_t *a, *b, *c, *d;
};

double epilogue_bytes(const cublasLtMatmulDescOpaque_t& desc, const MatrixProduct& product) {
  const auto m = static_cast<double>(product.m);
  const auto n = static_cast<double>(product.n);
  const double element = element_bytes(product.d);
  double bytes = 0;
  if ((desc.epilogue & (kEpilogueBias | kEpilogueBiasGradient | kEpilogueBiasGradientA)) != 0) {
    bytes += m * element;
  }
  if ((desc.epilogue & kEpilogueBiasGradientB) != 0) {
    bytes += n * element;
  }
  if ((desc.epilogue & kEpilogueAuxiliary) != 0) {  // of ReLU a bit mask, of GELU its input
    bytes += (desc.epilogue & (kEpilogueRelu | 8U)) != 0 ? m * n / 8 : m * n * element;
  }
  return bytes * static_cast<double>(product.batch);
}

// What the descriptors ask for. "cublasLtMatmul()": m and n are those of D; sizes and types have to
// fit each other.
cublasStatus_t read(const cublasLtMatmulDescOpaque_t& desc, const Layouts& layouts, int device,
                    MatrixProduct& product) {
  const bool transpose_a = desc.op_a != CUBLAS_OP_N;
  const bool transpose_b = desc.op_b != CUBLAS_OP_N;
  const std::uint64_t k = transpose_a ? layouts.a->rows : layouts.a->cols;
  const std::uint64_t m = transpose_a ? layouts.a->cols : layouts.a->rows;
  const std::uint64_t n = transpose_b ? layouts.b->rows : layouts.b->cols;
  if (k != (transpose_b ? layouts.b->cols : layouts.b->rows) || m != layouts.d->rows ||
      n != layouts.d->cols || layouts.a->batch != layouts.d->batch ||
      layouts.b->batch != layouts.d->batch) {
    return CUBLAS_STATUS_INVALID_VALUE;
  }
  product.m = static_cast<std::int64_t>(m);
  product.n = static_cast<std::int64_t>(n);
  product.k = static_cast<std::int64_t>(k);
  product.batch = layouts.d->batch;
  product.transpose_a = transpose_a;
  product.transpose_b = transpose_b;
  product.a = layouts.a->type;
  product.b = layouts.b->type;
  product.c = layouts.c->type;
  product.d = layouts.d->type;
  product.type = simgpu::cublas::flop_type(product.a, desc.compute, CUBLAS_DEFAULT_MATH);
  product.epilogue_bytes = epilogue_bytes(desc, product);
  product.library = "cublasLt";
  const bool f8 = simgpu::cublas::is_f8(product.a) && simgpu::cublas::is_f8(product.b);
  if (element_bytes(product.a) == 0 || element_bytes(product.d) == 0 ||
      (product.a != product.b && !f8)) {
    return CUBLAS_STATUS_NOT_SUPPORTED;
  }
  // Products of 8-bit floats take A transposed and B as it is, and nothing else.
  if (f8 && (simgpu::spec_of(device).f8 == 0 || !transpose_a || transpose_b)) {
    return CUBLAS_STATUS_NOT_SUPPORTED;
  }
  return CUBLAS_STATUS_SUCCESS;
}

// Where fewer tiles than multiprocessors are there, k is split, and partial results need room.
std::uint64_t wanted_workspace(const MatrixProduct& product, int device) {
  const bool splits = simgpu::cublas::blocks_of(product) <
                      static_cast<std::uint32_t>(simgpu::spec_of(device).sm_count);
  return splits ? static_cast<std::uint64_t>(product.m * product.n * product.batch) * 4 : 0;
}

bool is_zero(const void* scalar, const cublasLtMatmulDescOpaque_t& desc) {
  static const char kZero[16] = {};
  return desc.pointer_mode == 0 && scalar != nullptr &&
         std::memcmp(scalar, kZero, static_cast<std::size_t>(element_bytes(desc.scale))) == 0;
}

}  // namespace

extern "C" {

cublasStatus_t cublasLtMatmulAlgoGetHeuristic(cublasLtHandle_t, cublasLtMatmulDesc_t desc,
                                              cublasLtMatrixLayout_t a, cublasLtMatrixLayout_t b,
                                              cublasLtMatrixLayout_t c, cublasLtMatrixLayout_t d,
                                              cublasLtMatmulPreference_t preference, int requested,
                                              cublasLtMatmulHeuristicResult_t* results,
                                              int* returned) {
  SIMGPU_LIBRARY_API(cublasLtMatmulAlgoGetHeuristic);
  if (requested <= 0 || results == nullptr || returned == nullptr) {
    return simgpu_scope_.ends(CUBLAS_STATUS_INVALID_VALUE);
  }
  *returned = 0;
  const int device = simgpu::current_device();
  MatrixProduct product;
  if (const cublasStatus_t status = read(*desc, {a, b, c, d}, device, product);
      status != CUBLAS_STATUS_SUCCESS) {
    return simgpu_scope_.ends(status);
  }
  const std::uint64_t wanted = wanted_workspace(product, device);
  results[0] = {};
  results[0].algo.data[0] = kAlgorithm;
  results[0].workspace_bytes =
      preference != nullptr && wanted <= preference->max_workspace_bytes ? wanted : 0;
  results[0].state = CUBLAS_STATUS_SUCCESS;
  results[0].waves = static_cast<float>(simgpu::cublas::blocks_of(product)) /
                     static_cast<float>(simgpu::spec_of(device).sm_count);
  *returned = 1;
  return simgpu_scope_.ends(CUBLAS_STATUS_SUCCESS);
}

cublasStatus_t cublasLtMatmul(cublasLtHandle_t, cublasLtMatmulDesc_t desc, const void*, const void*,
                              cublasLtMatrixLayout_t a, const void*, cublasLtMatrixLayout_t b,
                              const void* beta, const void*, cublasLtMatrixLayout_t c, void*,
                              cublasLtMatrixLayout_t d, const cublasLtMatmulAlgo_t* algorithm,
                              void*, std::size_t, CUstream_st* stream) {
  SIMGPU_LIBRARY_API(cublasLtMatmul);
  if (algorithm != nullptr && algorithm->data[0] != kAlgorithm) {
    return simgpu_scope_.ends(CUBLAS_STATUS_INVALID_VALUE);
  }
  MatrixProduct product;
  if (const cublasStatus_t status = read(*desc, {a, b, c, d}, simgpu::device_of(stream), product);
      status != CUBLAS_STATUS_SUCCESS) {
    return simgpu_scope_.ends(status);
  }
  product.reads_c = !is_zero(beta, *desc);
  const bool done = simgpu::cublas::submit_product(stream, product) == 0;
  return simgpu_scope_.ends(done ? CUBLAS_STATUS_SUCCESS : CUBLAS_STATUS_EXECUTION_FAILED);
}
}
