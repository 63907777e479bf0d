#include "runtime/status.h"

#include <map>

namespace simgpu::runtime {
namespace {
thread_local cudaError_t last_error = cudaSuccess;

static_assert(kInvalidValue == cudaErrorInvalidValue &&
              kMemoryAllocation == cudaErrorMemoryAllocation);
static_assert(kInitializationError == cudaErrorInitializationError &&
              kInvalidDevice == cudaErrorInvalidDevice);
static_assert(kInvalidResourceHandle == cudaErrorInvalidResourceHandle &&
              kNotReady == cudaErrorNotReady);
static_assert(kIllegalAddress == cudaErrorIllegalAddress &&
              kCaptureUnsupported == cudaErrorStreamCaptureUnsupported);
static_assert(kCaptureInvalidated == cudaErrorStreamCaptureInvalidated &&
              kCaptureMerge == cudaErrorStreamCaptureMerge);
static_assert(kCaptureUnmatched == cudaErrorStreamCaptureUnmatched &&
              kCaptureUnjoined == cudaErrorStreamCaptureUnjoined);
static_assert(kCaptureIsolation == cudaErrorStreamCaptureIsolation &&
              kCaptureImplicit == cudaErrorStreamCaptureImplicit);
static_assert(kCapturedEvent == cudaErrorCapturedEvent &&
              kCaptureWrongThread == cudaErrorStreamCaptureWrongThread);

struct Words {
  const char* name;
  const char* text;
};

const std::map<int, Words>& words() {
  static const std::map<int, Words> all = {
      {cudaSuccess, {"cudaSuccess", "no error"}},
      {cudaErrorInvalidValue, {"cudaErrorInvalidValue", "invalid argument"}},
      {cudaErrorMemoryAllocation, {"cudaErrorMemoryAllocation", "out of memory"}},
      {cudaErrorInitializationError, {"cudaErrorInitializationError", "initialization error"}},
      {cudaErrorNoDevice, {"cudaErrorNoDevice", "no CUDA-capable device is detected"}},
      {cudaErrorInvalidDevice, {"cudaErrorInvalidDevice", "invalid device ordinal"}},
      {cudaErrorInvalidResourceHandle,
       {"cudaErrorInvalidResourceHandle", "invalid resource handle"}},
      {cudaErrorNotReady, {"cudaErrorNotReady", "device not ready"}},
      {cudaErrorIllegalAddress,
       {"cudaErrorIllegalAddress", "an illegal memory access was encountered"}},
      {cudaErrorPeerAccessAlreadyEnabled,
       {"cudaErrorPeerAccessAlreadyEnabled", "peer access is already enabled"}},
      {cudaErrorPeerAccessUnsupported,
       {"cudaErrorPeerAccessUnsupported",
        "peer access is not supported between these two devices"}},
      {cudaErrorNotSupported, {"cudaErrorNotSupported", "operation not supported"}},
      {cudaErrorStreamCaptureUnsupported,
       {"cudaErrorStreamCaptureUnsupported", "operation not permitted when stream is capturing"}},
      {cudaErrorStreamCaptureInvalidated,
       {"cudaErrorStreamCaptureInvalidated",
        "operation failed due to a previous error during capture"}},
      {cudaErrorStreamCaptureMerge,
       {"cudaErrorStreamCaptureMerge",
        "operation would result in a merge of separate capture sequences"}},
      {cudaErrorStreamCaptureUnmatched,
       {"cudaErrorStreamCaptureUnmatched", "capture was not ended in the same stream as it began"}},
      {cudaErrorStreamCaptureUnjoined,
       {"cudaErrorStreamCaptureUnjoined", "capturing stream has unjoined work"}},
      {cudaErrorStreamCaptureIsolation,
       {"cudaErrorStreamCaptureIsolation",
        "dependency created on uncaptured work in another stream"}},
      {cudaErrorStreamCaptureImplicit,
       {"cudaErrorStreamCaptureImplicit",
        "operation would make the legacy stream depend on a capturing blocking stream"}},
      {cudaErrorCapturedEvent,
       {"cudaErrorCapturedEvent",
        "operation not permitted on an event last recorded in a capturing stream"}},
      {cudaErrorStreamCaptureWrongThread,
       {"cudaErrorStreamCaptureWrongThread",
        "attempt to terminate a thread-local capture sequence from another thread"}},
  };
  return all;
}

Words words_of(cudaError_t status) {
  const auto at = words().find(status);
  return at == words().end() ? Words{"cudaErrorUnknown", "unknown error"} : at->second;
}

}  // namespace

cudaError_t remember(Status status) {
  const auto error = static_cast<cudaError_t>(status);
  if (error != cudaSuccess) {
    last_error = error;
  }
  return error;
}

}  // namespace simgpu::runtime

using simgpu::runtime::last_error;

extern "C" {

cudaError_t cudaGetLastError() {
  SIMGPU_API(cudaGetLastError);
  const simgpu::Locked guard(simgpu::process().lock);
  cudaError_t error = last_error;
  last_error = cudaSuccess;
  const auto& here = simgpu::process();
  if (here.sticky != simgpu::kSuccess && simgpu::now() >= here.sticky_from) {
    error = static_cast<cudaError_t>(
        here.sticky);  // such an error ends the context: it is never cleared
  }
  return simgpu_scope_.ends(error);
}

cudaError_t cudaPeekAtLastError() {
  SIMGPU_API(cudaPeekAtLastError);
  return simgpu_scope_.ends(last_error);
}

const char* cudaGetErrorName(cudaError_t error) { return simgpu::runtime::words_of(error).name; }
const char* cudaGetErrorString(cudaError_t error) { return simgpu::runtime::words_of(error).text; }
}
