// docs.nvidia.com, "cuDNN backend API", cudnn_ops library:
// cudnnBatchNormalizationForwardTrainingEx() and its like. Bound by memory: the persistent mode
// reads its input once, the plain spatial mode once for the statistics and once more to normalize
// ("cudnnBatchNormMode_t").
#include "cudnn/legacy_descriptors.h"

namespace {

using simgpu::cudnn::bytes_of;
using simgpu::cudnn::submit_by_bytes;

constexpr int kPersistent = 2;  // CUDNN_BATCHNORM_SPATIAL_PERSISTENT
constexpr int kOpsPlain = 0;    // CUDNN_BATCHNORM_OPS_BN
constexpr std::size_t kPartialSums = 4096;

double reads(int mode) { return mode == kPersistent ? 1 : 2; }

bool is_channels_last(const cudnnTensorStruct* x) { return x->shape.is_channels_last(); }

// Sums of each multiprocessor, for each channel in 32 bits.
std::size_t workspace(const cudnnTensorStruct* x) {
  const std::size_t channels =
      x->shape.dims.size() > 1 ? static_cast<std::size_t>(x->shape.dims[1]) : 1;
  return is_channels_last(x) ? channels * 4 * 2 * 128 : kPartialSums;
}

}  // namespace

extern "C" {

cudnnStatus_t cudnnGetBatchNormalizationForwardTrainingExWorkspaceSize(
    cudnnHandle_t, int, int, const cudnnTensorStruct* x, const cudnnTensorStruct*,
    const cudnnTensorStruct*, const cudnnTensorStruct*, const cudnnActivationStruct*,
    std::size_t* bytes) {
  SIMGPU_LIBRARY_API(cudnnGetBatchNormalizationForwardTrainingExWorkspaceSize);
  *bytes = workspace(x);
  return simgpu_scope_.ends(CUDNN_STATUS_SUCCESS);
}

cudnnStatus_t cudnnGetBatchNormalizationBackwardExWorkspaceSize(
    cudnnHandle_t, int, int, const cudnnTensorStruct* x, const cudnnTensorStruct*,
    const cudnnTensorStruct*, const cudnnTensorStruct*, const cudnnTensorStruct*,
    const cudnnTensorStruct*, const cudnnActivationStruct*, std::size_t* bytes) {
  SIMGPU_LIBRARY_API(cudnnGetBatchNormalizationBackwardExWorkspaceSize);
  *bytes = workspace(x);
  return simgpu_scope_.ends(CUDNN_STATUS_SUCCESS);
}

// A bit for each element that the activation let through.
cudnnStatus_t cudnnGetBatchNormalizationTrainingExReserveSpaceSize(cudnnHandle_t, int, int ops,
                                                                   const cudnnActivationStruct*,
                                                                   const cudnnTensorStruct* x,
                                                                   std::size_t* bytes) {
  SIMGPU_LIBRARY_API(cudnnGetBatchNormalizationTrainingExReserveSpaceSize);
  *bytes = ops == kOpsPlain ? 0 : static_cast<std::size_t>(x->shape.elements() / 8) + 1;
  return simgpu_scope_.ends(CUDNN_STATUS_SUCCESS);
}

cudnnStatus_t cudnnBatchNormalizationForwardTrainingEx(
    cudnnHandle_t handle, int mode, int, const void*, const void*, const cudnnTensorStruct* x,
    const void*, const cudnnTensorStruct* z, const void*, const cudnnTensorStruct* y, void*,
    const cudnnTensorStruct* scale, const void*, const void*, double, void*, void*, double, void*,
    void*, cudnnActivationStruct*, void*, std::size_t, void*, std::size_t) {
  SIMGPU_LIBRARY_API(cudnnBatchNormalizationForwardTrainingEx);
  constexpr double kStatistics = 8;  // scale, bias, running and saved mean and variance
  const double bytes =
      reads(mode) * bytes_of(x) + bytes_of(z) + bytes_of(y) + kStatistics * bytes_of(scale);
  return simgpu_scope_.ends(
      submit_by_bytes(handle,
                      is_channels_last(x) ? "_ZN5cudnn40bn_fw_tr_1C11_kernel_NHWC_semiPersistentEv"
                                          : "_ZN5cudnn25bn_fw_tr_1C11_kernel_NCHWEv",
                      bytes));
}

cudnnStatus_t cudnnBatchNormalizationForwardInference(cudnnHandle_t handle, int, const void*,
                                                      const void*, const cudnnTensorStruct* x,
                                                      const void*, const cudnnTensorStruct* y,
                                                      void*, const cudnnTensorStruct* scale,
                                                      const void*, const void*, const void*,
                                                      const void*, double) {
  SIMGPU_LIBRARY_API(cudnnBatchNormalizationForwardInference);
  return simgpu_scope_.ends(submit_by_bytes(handle,
                                            is_channels_last(x)
                                                ? "_ZN5cudnn26bn_fw_inf_1C11_kernel_NHWCEv"
                                                : "_ZN5cudnn26bn_fw_inf_1C11_kernel_NCHWEv",
                                            bytes_of(x) + bytes_of(y) + 4 * bytes_of(scale)));
}

cudnnStatus_t cudnnBatchNormalizationBackwardEx(
    cudnnHandle_t handle, int mode, int, const void*, const void*, const void*, const void*,
    const cudnnTensorStruct* x, const void*, const cudnnTensorStruct* y, const void*,
    const cudnnTensorStruct* dy, const void*, const cudnnTensorStruct* dz, void*,
    const cudnnTensorStruct* dx, void*, const cudnnTensorStruct* scale, const void*, const void*,
    void*, void*, double, const void*, const void*, cudnnActivationStruct*, void*, std::size_t,
    void*, std::size_t) {
  SIMGPU_LIBRARY_API(cudnnBatchNormalizationBackwardEx);
  const double bytes = reads(mode) * (bytes_of(x) + bytes_of(dy)) + bytes_of(y) + bytes_of(dz) +
                       bytes_of(dx) + 5 * bytes_of(scale);
  return simgpu_scope_.ends(
      submit_by_bytes(handle,
                      is_channels_last(x) ? "_ZN5cudnn37bn_bw_1C11_kernel_NHWC_semiPersistentEv"
                                          : "_ZN5cudnn22bn_bw_1C11_kernel_NCHWEv",
                      bytes));
}
}
