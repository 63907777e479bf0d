// What the entry points of cuBLASLt take and give. Numbers: docs.nvidia.com, "cuBLAS", "Using the
// cuBLASLt API", "cuBLASLt Datatypes Reference".
#pragma once

#include "cublas/api.h"

enum cublasLtMatrixLayoutAttribute_t : int {
  CUBLASLT_MATRIX_LAYOUT_TYPE = 0,
  CUBLASLT_MATRIX_LAYOUT_ORDER = 1,
  CUBLASLT_MATRIX_LAYOUT_ROWS = 2,
  CUBLASLT_MATRIX_LAYOUT_COLS = 3,
  CUBLASLT_MATRIX_LAYOUT_LD = 4,
  CUBLASLT_MATRIX_LAYOUT_BATCH_COUNT = 5,
  CUBLASLT_MATRIX_LAYOUT_STRIDED_BATCH_OFFSET = 6,
  CUBLASLT_MATRIX_LAYOUT_PLANE_OFFSET = 7,
};
// Those with a meaning here; the others up to kLastMatmulDescAttribute are taken and left alone.
enum cublasLtMatmulDescAttributes_t : int {
  CUBLASLT_MATMUL_DESC_COMPUTE_TYPE = 0,
  CUBLASLT_MATMUL_DESC_SCALE_TYPE = 1,
  CUBLASLT_MATMUL_DESC_POINTER_MODE = 2,
  CUBLASLT_MATMUL_DESC_TRANSA = 3,
  CUBLASLT_MATMUL_DESC_TRANSB = 4,
  CUBLASLT_MATMUL_DESC_EPILOGUE = 7,
};
inline constexpr int kLastMatmulDescAttribute = 63;
enum cublasLtMatmulPreferenceAttributes_t : int {
  CUBLASLT_MATMUL_PREF_SEARCH_MODE = 0,
  CUBLASLT_MATMUL_PREF_MAX_WORKSPACE_BYTES = 1,
};
// An epilogue is a sum of bits: cublasLtEpilogue_t.
inline constexpr std::uint32_t kEpilogueRelu = 2;
inline constexpr std::uint32_t kEpilogueBias = 4;
inline constexpr std::uint32_t kEpilogueBiasGradient = 16;
inline constexpr std::uint32_t kEpilogueAuxiliary = 128;
inline constexpr std::uint32_t kEpilogueBiasGradientA = 256;
inline constexpr std::uint32_t kEpilogueBiasGradientB = 512;

struct cublasLtMatrixLayoutOpaque_t {
  cudaDataType_t type = CUDA_R_32F;
  std::int32_t order = 0;
  std::uint64_t rows = 0, cols = 0;
  std::int64_t ld = 0;
  std::int32_t batch = 1;
  std::int64_t batch_offset = 0;
  std::int64_t plane_offset = 0;
};
using cublasLtMatrixLayout_t = cublasLtMatrixLayoutOpaque_t*;

struct cublasLtMatmulDescOpaque_t {
  cublasComputeType_t compute = CUBLAS_COMPUTE_32F;
  cudaDataType_t scale = CUDA_R_32F;
  std::int32_t pointer_mode = 0;  // 0: alpha and beta lie on the host
  cublasOperation_t op_a = CUBLAS_OP_N, op_b = CUBLAS_OP_N;
  std::uint32_t epilogue = 1;
};
using cublasLtMatmulDesc_t = cublasLtMatmulDescOpaque_t*;

struct cublasLtMatmulPreferenceOpaque_t {
  std::uint64_t max_workspace_bytes = 0;
};
using cublasLtMatmulPreference_t = cublasLtMatmulPreferenceOpaque_t*;

struct cublasLtMatmulAlgo_t {
  std::uint64_t data[8];
};
struct cublasLtMatmulHeuristicResult_t {
  cublasLtMatmulAlgo_t algo;
  std::size_t workspace_bytes;
  cublasStatus_t state;
  float waves;  // of thread blocks over the device
  int reserved[4];
};
using cublasLtHandle_t = void*;  // a cuBLAS handle serves as one, too
