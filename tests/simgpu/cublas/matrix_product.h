// One matrix product as a kernel: its arithmetic, its bytes, its name. Used by cuBLAS and cuBLASLt;
// nothing is computed.
#pragma once

#include <algorithm>
#include <cstdint>
#include <cstdio>

#include "core/config.h"
#include "core/submit.h"
#include "cublas/data_type.h"

namespace simgpu::cublas {

// D = alpha op(A) op(B) + beta C, `batch` times; D is m x n, k is summed over.
struct MatrixProduct {
  std::int64_t m = 0, n = 0, k = 0, batch = 1;
  bool transpose_a = false, transpose_b = false;
  cudaDataType_t a = CUDA_R_32F, b = CUDA_R_32F, c = CUDA_R_32F, d = CUDA_R_32F;
  FlopType type = FlopType::kF32;
  bool reads_c = false;       // beta is not zero
  double epilogue_bytes = 0;  // bias, auxiliary output
  const char* library = "cublas";
};

// 2mnk; a complex multiplication and addition is four of each.
inline double flops_of(const MatrixProduct& product) {
  const double multiplied = 2.0 * static_cast<double>(product.m) * static_cast<double>(product.n) *
                            static_cast<double>(product.k) * static_cast<double>(product.batch);
  return is_complex(product.a) ? 4 * multiplied : multiplied;
}

// Each matrix moved once: large tiles and the L2 cache come close to that.
inline double bytes_of(const MatrixProduct& product) {
  const auto m = static_cast<double>(product.m);
  const auto n = static_cast<double>(product.n);
  const auto k = static_cast<double>(product.k);
  const double written = m * n * element_bytes(product.d);
  const double read = m * k * element_bytes(product.a) + k * n * element_bytes(product.b) +
                      (product.reads_c ? m * n * element_bytes(product.c) : 0);
  return static_cast<double>(product.batch) * (read + written) + product.epilogue_bytes;
}

inline std::uint32_t blocks_of(const MatrixProduct& product) {
  constexpr std::int64_t kTile = 128;
  const std::int64_t tiles =
      ((product.m + kTile - 1) / kTile) * ((product.n + kTile - 1) / kTile) * product.batch;
  return static_cast<std::uint32_t>(std::clamp<std::int64_t>(tiles, 1, 0x7fffffff));
}

inline const char* short_name(cudaDataType_t type) {
  switch (type) {
    case CUDA_R_64F:
      return "f64";
    case CUDA_R_16F:
      return "f16";
    case CUDA_R_16BF:
      return "bf16";
    case CUDA_R_8I:
      return "i8";
    case CUDA_R_32I:
      return "i32";
    case CUDA_R_8F_E4M3:
      return "e4m3";
    case CUDA_R_8F_E5M2:
      return "e5m2";
    case CUDA_C_32F:
      return "cf32";
    case CUDA_C_64F:
      return "cf64";
    default:
      return "f32";
  }
}

// In the manner of the names that profilers show of cuBLAS: architecture, operand and compute
// types, output, transpositions, tile.
inline const char* kernel_name(const MatrixProduct& product, const DeviceSpec& spec) {
  const bool simt = product.type == FlopType::kF32;
  const char* const computed = product.type == FlopType::kTf32 ? "tf32" : short_name(product.a);
  char name[256];
  std::snprintf(name, sizeof(name),
                "sm%d%d_xmma_gemm_%s%s_%s%s_%s_%c%c_n_tilesize128x128x%d_%sexecute_kernel__5x_%s",
                spec.major, spec.minor, short_name(product.a), short_name(product.b), computed,
                product.type == FlopType::kF64 ? "f64" : "f32", short_name(product.d),
                product.transpose_a ? 't' : 'n', product.transpose_b ? 't' : 'n', simt ? 8 : 64,
                simt ? "simt_" : "", product.library);
  return name[0] == '\0' ? "" : intern(name);
}

// Puts it onto the stream. Nothing is launched for an empty result, as cuBLAS returns at once then.
inline Status submit_product(CUstream_st* stream, const MatrixProduct& product) {
  if (product.m == 0 || product.n == 0 || product.batch == 0) {
    return 0;
  }
  const DeviceSpec& spec = spec_of(device_of(stream));
  return submit_kernel(stream, kernel_name(product, spec), flops_of(product), product.type,
                       bytes_of(product), blocks_of(product));
}

}  // namespace simgpu::cublas
