// docs.nvidia.com, "cuDNN backend API", cudnn_ops library: dropout descriptors, which hold the
// states of a random generator on the device.
#include "cudnn/dropout.h"

#include "cudnn/legacy_descriptors.h"

namespace {

// A state of the generator for each of this many threads.
constexpr std::size_t kStates = std::size_t{48} << 10;
constexpr std::size_t kStateBytes = 48;

}  // namespace

extern "C" {

cudnnStatus_t cudnnCreateDropoutDescriptor(cudnnDropoutStruct** dropout) {
  SIMGPU_LIBRARY_API(cudnnCreateDropoutDescriptor);
  *dropout = new cudnnDropoutStruct;
  return simgpu_scope_.ends(CUDNN_STATUS_SUCCESS);
}

cudnnStatus_t cudnnDestroyDropoutDescriptor(cudnnDropoutStruct* dropout) {
  SIMGPU_LIBRARY_API(cudnnDestroyDropoutDescriptor);
  delete dropout;
  return simgpu_scope_.ends(CUDNN_STATUS_SUCCESS);
}

cudnnStatus_t cudnnDropoutGetStatesSize(cudnnHandle_t, std::size_t* bytes) {
  SIMGPU_LIBRARY_API(cudnnDropoutGetStatesSize);
  *bytes = kStates * kStateBytes;
  return simgpu_scope_.ends(CUDNN_STATUS_SUCCESS);
}

// Fills the states: a kernel of its own.
cudnnStatus_t cudnnSetDropoutDescriptor(cudnnDropoutStruct* dropout, cudnnHandle_t handle,
                                        float rate, void* states, std::size_t bytes,
                                        unsigned long long) {
  SIMGPU_LIBRARY_API(cudnnSetDropoutDescriptor);
  dropout->rate = rate;
  if (states == nullptr) {
    return simgpu_scope_.ends(CUDNN_STATUS_SUCCESS);
  }
  if (bytes < kStates * kStateBytes) {
    return simgpu_scope_.ends(
        simgpu::cudnn::fail(CUDNN_STATUS_BAD_PARAM_SIZE_INSUFFICIENT, "the states need more room"));
  }
  return simgpu_scope_.ends(simgpu::cudnn::submit_by_bytes(
      handle, "_ZN5cudnn15init_dropout_rngEv", static_cast<double>(kStates * kStateBytes)));
}

// Takes states that are there already: nothing runs.
cudnnStatus_t cudnnRestoreDropoutDescriptor(cudnnDropoutStruct* dropout, cudnnHandle_t, float rate,
                                            void*, std::size_t, unsigned long long) {
  SIMGPU_LIBRARY_API(cudnnRestoreDropoutDescriptor);
  dropout->rate = rate;
  return simgpu_scope_.ends(CUDNN_STATUS_SUCCESS);
}
}
