// CUDA Driver API, "Error Handling".
#include <map>

#include "driver/status.h"

namespace {

struct Words {
  const char* name;
  const char* text;
};

#define WORDS(status, text)   \
  {                           \
    status, { #status, text } \
  }

const std::map<int, Words>& words() {
  static const auto* all = new std::map<int, Words>{
      WORDS(CUDA_SUCCESS, "no error"),
      WORDS(CUDA_ERROR_INVALID_VALUE, "invalid argument"),
      WORDS(CUDA_ERROR_OUT_OF_MEMORY, "out of memory"),
      WORDS(CUDA_ERROR_NOT_INITIALIZED, "initialization error"),
      WORDS(CUDA_ERROR_DEINITIALIZED, "driver shutting down"),
      WORDS(CUDA_ERROR_DEVICE_UNAVAILABLE, "CUDA-capable device(s) is/are busy or unavailable"),
      WORDS(CUDA_ERROR_NO_DEVICE, "no CUDA-capable device is detected"),
      WORDS(CUDA_ERROR_INVALID_DEVICE, "invalid device ordinal"),
      WORDS(CUDA_ERROR_INVALID_IMAGE, "device kernel image is invalid"),
      WORDS(CUDA_ERROR_INVALID_CONTEXT, "invalid device context"),
      WORDS(CUDA_ERROR_MAP_FAILED, "mapping of buffer object failed"),
      WORDS(CUDA_ERROR_UNMAP_FAILED, "unmapping of buffer object failed"),
      WORDS(CUDA_ERROR_NO_BINARY_FOR_GPU,
            "no kernel image is available for execution on the device"),
      WORDS(CUDA_ERROR_UNSUPPORTED_LIMIT, "limit is not supported on this architecture"),
      WORDS(CUDA_ERROR_INVALID_PTX, "a PTX JIT compilation failed"),
      WORDS(CUDA_ERROR_UNSUPPORTED_PTX_VERSION,
            "the provided PTX was compiled with an unsupported toolchain."),
      WORDS(CUDA_ERROR_INVALID_SOURCE, "device kernel image is invalid"),
      WORDS(CUDA_ERROR_FILE_NOT_FOUND, "file not found"),
      WORDS(CUDA_ERROR_INVALID_HANDLE, "invalid resource handle"),
      WORDS(CUDA_ERROR_ILLEGAL_STATE, "the operation cannot be performed in the present state"),
      WORDS(CUDA_ERROR_NOT_FOUND, "named symbol not found"),
      WORDS(CUDA_ERROR_NOT_READY, "device not ready"),
      WORDS(CUDA_ERROR_ILLEGAL_ADDRESS, "an illegal memory access was encountered"),
      WORDS(CUDA_ERROR_LAUNCH_OUT_OF_RESOURCES, "too many resources requested for launch"),
      WORDS(CUDA_ERROR_PEER_ACCESS_ALREADY_ENABLED, "peer access is already enabled"),
      WORDS(CUDA_ERROR_PEER_ACCESS_NOT_ENABLED, "peer access has not been enabled"),
      WORDS(CUDA_ERROR_PRIMARY_CONTEXT_ACTIVE, "cannot set while device is active in this process"),
      WORDS(CUDA_ERROR_CONTEXT_IS_DESTROYED, "context is destroyed"),
      WORDS(CUDA_ERROR_HOST_MEMORY_ALREADY_REGISTERED,
            "part or all of the requested memory range is already mapped"),
      WORDS(CUDA_ERROR_HOST_MEMORY_NOT_REGISTERED,
            "pointer does not correspond to a registered memory region"),
      WORDS(CUDA_ERROR_LAUNCH_FAILED, "unspecified launch failure"),
      WORDS(CUDA_ERROR_COOPERATIVE_LAUNCH_TOO_LARGE, "too many blocks in cooperative launch"),
      WORDS(CUDA_ERROR_NOT_PERMITTED, "operation not permitted"),
      WORDS(CUDA_ERROR_NOT_SUPPORTED, "operation not supported"),
      WORDS(CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED,
            "operation not permitted when stream is capturing"),
      WORDS(CUDA_ERROR_STREAM_CAPTURE_INVALIDATED,
            "operation failed due to a previous error during capture"),
      WORDS(CUDA_ERROR_STREAM_CAPTURE_MERGE,
            "operation would result in a merge of separate capture sequences"),
      WORDS(CUDA_ERROR_STREAM_CAPTURE_UNMATCHED,
            "capture was not ended in the same stream as it began"),
      WORDS(CUDA_ERROR_STREAM_CAPTURE_UNJOINED, "capturing stream has unjoined work"),
      WORDS(CUDA_ERROR_STREAM_CAPTURE_ISOLATION,
            "dependency created on uncaptured work in another stream"),
      WORDS(CUDA_ERROR_STREAM_CAPTURE_IMPLICIT,
            "operation would make the legacy stream depend on a capturing blocking stream"),
      WORDS(CUDA_ERROR_CAPTURED_EVENT,
            "operation not permitted on an event last recorded in a capturing stream"),
      WORDS(CUDA_ERROR_STREAM_CAPTURE_WRONG_THREAD,
            "attempt to terminate a thread-local capture sequence from another thread"),
      WORDS(CUDA_ERROR_INVALID_CLUSTER_SIZE, "invalid cluster size"),
      WORDS(CUDA_ERROR_UNKNOWN, "unknown error"),
  };
  return *all;
}

#undef WORDS

// Null and an invalid value where the status is not one.
CUresult word(CUresult status, const char** told, const char* Words::* which) {
  if (told == nullptr) {
    return CUDA_ERROR_INVALID_VALUE;
  }
  const auto at = words().find(status);
  *told = at == words().end() ? nullptr : at->second.*which;
  return *told == nullptr ? CUDA_ERROR_INVALID_VALUE : CUDA_SUCCESS;
}

}  // namespace

extern "C" {

CUresult cuGetErrorName(CUresult status, const char** name) {
  SIMGPU_DRIVER_API(cuGetErrorName);
  SIMGPU_DRIVER_RETURN(word(status, name, &Words::name));
}

CUresult cuGetErrorString(CUresult status, const char** text) {
  SIMGPU_DRIVER_API(cuGetErrorString);
  SIMGPU_DRIVER_RETURN(word(status, text, &Words::text));
}
}
