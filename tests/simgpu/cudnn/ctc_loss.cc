// docs.nvidia.com, "cuDNN backend API", cudnn_adv library: cudnnCTCLoss(). Timed by the bytes of
// probabilities and gradients.
#include "cudnn/legacy_descriptors.h"

struct cudnnCTCLossStruct {
  int normalization = 0;
};

namespace {

std::size_t workspace(const cudnnTensorStruct* probabilities) {
  return static_cast<std::size_t>(simgpu::cudnn::bytes_of(probabilities) * 2) + 4096;
}

cudnnStatus_t loss(cudnnHandle_t handle, const cudnnTensorStruct* probabilities,
                   const cudnnTensorStruct* gradients) {
  return simgpu::cudnn::submit_by_bytes(
      handle, "cudnn_ctc_loss_kernel",
      2 * simgpu::cudnn::bytes_of(probabilities) + simgpu::cudnn::bytes_of(gradients));
}

}  // namespace

extern "C" {

cudnnStatus_t cudnnCreateCTCLossDescriptor(cudnnCTCLossStruct** descriptor) {
  SIMGPU_LIBRARY_API(cudnnCreateCTCLossDescriptor);
  *descriptor = new cudnnCTCLossStruct;
  return simgpu_scope_.ends(CUDNN_STATUS_SUCCESS);
}

cudnnStatus_t cudnnDestroyCTCLossDescriptor(cudnnCTCLossStruct* descriptor) {
  SIMGPU_LIBRARY_API(cudnnDestroyCTCLossDescriptor);
  delete descriptor;
  return simgpu_scope_.ends(CUDNN_STATUS_SUCCESS);
}

cudnnStatus_t cudnnSetCTCLossDescriptorEx(cudnnCTCLossStruct* descriptor, cudnnDataType_t,
                                          int normalization, int) {
  SIMGPU_LIBRARY_API(cudnnSetCTCLossDescriptorEx);
  descriptor->normalization = normalization;
  return simgpu_scope_.ends(CUDNN_STATUS_SUCCESS);
}

cudnnStatus_t cudnnSetCTCLossDescriptor_v9(cudnnCTCLossStruct* descriptor, cudnnDataType_t,
                                           int normalization, int, int) {
  SIMGPU_LIBRARY_API(cudnnSetCTCLossDescriptor_v9);
  descriptor->normalization = normalization;
  return simgpu_scope_.ends(CUDNN_STATUS_SUCCESS);
}

cudnnStatus_t cudnnGetCTCLossWorkspaceSize(cudnnHandle_t, const cudnnTensorStruct* probabilities,
                                           const cudnnTensorStruct*, const int*, const int*,
                                           const int*, int, cudnnCTCLossStruct*,
                                           std::size_t* bytes) {
  SIMGPU_LIBRARY_API(cudnnGetCTCLossWorkspaceSize);
  *bytes = workspace(probabilities);
  return simgpu_scope_.ends(CUDNN_STATUS_SUCCESS);
}

cudnnStatus_t cudnnGetCTCLossWorkspaceSize_v8(cudnnHandle_t, int, cudnnCTCLossStruct*,
                                              const cudnnTensorStruct* probabilities,
                                              const cudnnTensorStruct*, std::size_t* bytes) {
  SIMGPU_LIBRARY_API(cudnnGetCTCLossWorkspaceSize_v8);
  *bytes = workspace(probabilities);
  return simgpu_scope_.ends(CUDNN_STATUS_SUCCESS);
}

cudnnStatus_t cudnnCTCLoss(cudnnHandle_t handle, const cudnnTensorStruct* probabilities,
                           const void*, const int*, const int*, const int*, void*,
                           const cudnnTensorStruct* gradients, void*, int, cudnnCTCLossStruct*,
                           void*, std::size_t) {
  SIMGPU_LIBRARY_API(cudnnCTCLoss);
  return simgpu_scope_.ends(loss(handle, probabilities, gradients));
}

cudnnStatus_t cudnnCTCLoss_v8(cudnnHandle_t handle, int, cudnnCTCLossStruct*,
                              const cudnnTensorStruct* probabilities, const void*, const int*,
                              const int*, const int*, void*, const cudnnTensorStruct* gradients,
                              void*, std::size_t, void*) {
  SIMGPU_LIBRARY_API(cudnnCTCLoss_v8);
  return simgpu_scope_.ends(loss(handle, probabilities, gradients));
}
}
