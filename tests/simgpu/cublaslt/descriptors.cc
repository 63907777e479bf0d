// cuBLAS guide, "cuBLASLt API Reference": making, filling and ending descriptors.
#include <cstring>

#include "core/api.h"
#include "cublaslt/api.h"

namespace {

// Takes a value of exactly its field's size, as cuBLASLt does ("sizeInBytes doesn't match the size
// of the internal storage").
template <typename T>
cublasStatus_t take(T& field, const void* value, std::size_t bytes) {
  if (value == nullptr || bytes != sizeof(T)) {
    return CUBLAS_STATUS_INVALID_VALUE;
  }
  std::memcpy(&field, value, sizeof(T));
  return CUBLAS_STATUS_SUCCESS;
}

template <typename T>
cublasStatus_t give(const T& field, void* value, std::size_t bytes, std::size_t* written) {
  if (written != nullptr) {
    *written = sizeof(T);
  }
  if (value == nullptr) {
    return bytes == 0 ? CUBLAS_STATUS_SUCCESS : CUBLAS_STATUS_INVALID_VALUE;
  }
  if (bytes < sizeof(T)) {
    return CUBLAS_STATUS_INVALID_VALUE;
  }
  std::memcpy(value, &field, sizeof(T));
  return CUBLAS_STATUS_SUCCESS;
}

// Calls `with` on the field that an attribute names.
template <typename Layout, typename With>
cublasStatus_t with_field(Layout& layout, cublasLtMatrixLayoutAttribute_t attribute, With with) {
  switch (attribute) {
    case CUBLASLT_MATRIX_LAYOUT_TYPE:
      return with(layout.type);
    case CUBLASLT_MATRIX_LAYOUT_ORDER:
      return with(layout.order);
    case CUBLASLT_MATRIX_LAYOUT_ROWS:
      return with(layout.rows);
    case CUBLASLT_MATRIX_LAYOUT_COLS:
      return with(layout.cols);
    case CUBLASLT_MATRIX_LAYOUT_LD:
      return with(layout.ld);
    case CUBLASLT_MATRIX_LAYOUT_BATCH_COUNT:
      return with(layout.batch);
    case CUBLASLT_MATRIX_LAYOUT_STRIDED_BATCH_OFFSET:
      return with(layout.batch_offset);
    case CUBLASLT_MATRIX_LAYOUT_PLANE_OFFSET:
      return with(layout.plane_offset);
  }
  return CUBLAS_STATUS_INVALID_VALUE;
}

cublasStatus_t set_matmul(cublasLtMatmulDescOpaque_t& desc,
                          cublasLtMatmulDescAttributes_t attribute, const void* value,
                          std::size_t bytes) {
  switch (attribute) {
    case CUBLASLT_MATMUL_DESC_COMPUTE_TYPE:
      return take(desc.compute, value, bytes);
    case CUBLASLT_MATMUL_DESC_SCALE_TYPE:
      return take(desc.scale, value, bytes);
    case CUBLASLT_MATMUL_DESC_POINTER_MODE:
      return take(desc.pointer_mode, value, bytes);
    case CUBLASLT_MATMUL_DESC_TRANSA:
      return take(desc.op_a, value, bytes);
    case CUBLASLT_MATMUL_DESC_TRANSB:
      return take(desc.op_b, value, bytes);
    case CUBLASLT_MATMUL_DESC_EPILOGUE:
      return take(desc.epilogue, value, bytes);
  }
  const bool known = attribute > 0 && attribute <= kLastMatmulDescAttribute;
  return known && value != nullptr ? CUBLAS_STATUS_SUCCESS : CUBLAS_STATUS_INVALID_VALUE;
}

}  // namespace

extern "C" {

cublasStatus_t cublasLtCreate(cublasLtHandle_t* handle) {
  SIMGPU_LIBRARY_API(cublasLtCreate);
  *handle = new char;
  return simgpu_scope_.ends(CUBLAS_STATUS_SUCCESS);
}

cublasStatus_t cublasLtDestroy(cublasLtHandle_t handle) {
  SIMGPU_LIBRARY_API(cublasLtDestroy);
  delete static_cast<char*>(handle);
  return simgpu_scope_.ends(CUBLAS_STATUS_SUCCESS);
}

std::size_t cublasLtGetVersion() { return 130100; }

cublasStatus_t cublasLtMatrixLayoutCreate(cublasLtMatrixLayout_t* layout, cudaDataType_t type,
                                          std::uint64_t rows, std::uint64_t cols, std::int64_t ld) {
  SIMGPU_LIBRARY_API(cublasLtMatrixLayoutCreate);
  *layout = new cublasLtMatrixLayoutOpaque_t{.type = type, .rows = rows, .cols = cols, .ld = ld};
  return simgpu_scope_.ends(CUBLAS_STATUS_SUCCESS);
}

cublasStatus_t cublasLtMatrixLayoutDestroy(cublasLtMatrixLayout_t layout) {
  SIMGPU_LIBRARY_API(cublasLtMatrixLayoutDestroy);
  delete layout;
  return simgpu_scope_.ends(CUBLAS_STATUS_SUCCESS);
}

cublasStatus_t cublasLtMatrixLayoutSetAttribute(cublasLtMatrixLayout_t layout,
                                                cublasLtMatrixLayoutAttribute_t attribute,
                                                const void* value, std::size_t bytes) {
  SIMGPU_LIBRARY_API(cublasLtMatrixLayoutSetAttribute);
  return simgpu_scope_.ends(
      with_field(*layout, attribute, [&](auto& field) { return take(field, value, bytes); }));
}

cublasStatus_t cublasLtMatrixLayoutGetAttribute(cublasLtMatrixLayout_t layout,
                                                cublasLtMatrixLayoutAttribute_t attribute,
                                                void* value, std::size_t bytes,
                                                std::size_t* written) {
  SIMGPU_LIBRARY_API(cublasLtMatrixLayoutGetAttribute);
  return simgpu_scope_.ends(with_field(
      *layout, attribute, [&](auto& field) { return give(field, value, bytes, written); }));
}

cublasStatus_t cublasLtMatmulDescCreate(cublasLtMatmulDesc_t* desc, cublasComputeType_t compute,
                                        cudaDataType_t scale) {
  SIMGPU_LIBRARY_API(cublasLtMatmulDescCreate);
  *desc = new cublasLtMatmulDescOpaque_t{.compute = compute, .scale = scale};
  return simgpu_scope_.ends(CUBLAS_STATUS_SUCCESS);
}

cublasStatus_t cublasLtMatmulDescDestroy(cublasLtMatmulDesc_t desc) {
  SIMGPU_LIBRARY_API(cublasLtMatmulDescDestroy);
  delete desc;
  return simgpu_scope_.ends(CUBLAS_STATUS_SUCCESS);
}

cublasStatus_t cublasLtMatmulDescSetAttribute(cublasLtMatmulDesc_t desc,
                                              cublasLtMatmulDescAttributes_t attribute,
                                              const void* value, std::size_t bytes) {
  SIMGPU_LIBRARY_API(cublasLtMatmulDescSetAttribute);
  return simgpu_scope_.ends(set_matmul(*desc, attribute, value, bytes));
}

cublasStatus_t cublasLtMatmulPreferenceCreate(cublasLtMatmulPreference_t* preference) {
  SIMGPU_LIBRARY_API(cublasLtMatmulPreferenceCreate);
  *preference = new cublasLtMatmulPreferenceOpaque_t;
  return simgpu_scope_.ends(CUBLAS_STATUS_SUCCESS);
}

cublasStatus_t cublasLtMatmulPreferenceDestroy(cublasLtMatmulPreference_t preference) {
  SIMGPU_LIBRARY_API(cublasLtMatmulPreferenceDestroy);
  delete preference;
  return simgpu_scope_.ends(CUBLAS_STATUS_SUCCESS);
}

cublasStatus_t cublasLtMatmulPreferenceSetAttribute(cublasLtMatmulPreference_t preference,
                                                    cublasLtMatmulPreferenceAttributes_t attribute,
                                                    const void* value, std::size_t bytes) {
  SIMGPU_LIBRARY_API(cublasLtMatmulPreferenceSetAttribute);
  if (attribute == CUBLASLT_MATMUL_PREF_MAX_WORKSPACE_BYTES) {
    return simgpu_scope_.ends(take(preference->max_workspace_bytes, value, bytes));
  }
  return simgpu_scope_.ends(value == nullptr ? CUBLAS_STATUS_INVALID_VALUE : CUBLAS_STATUS_SUCCESS);
}
}
