#include "nccl/status.h"

#include <array>
#include <atomic>

namespace simgpu::nccl {
namespace {

std::atomic<const char*> last_error{""};

constexpr std::array<const char*, 8> kMeanings = {
    "no error",
    "unhandled cuda error (run with NCCL_DEBUG=INFO for details)",
    "unhandled system error (run with NCCL_DEBUG=INFO for details)",
    "internal error - please report this issue to the NCCL developers",
    "invalid argument (run with NCCL_DEBUG=WARN for details)",
    "invalid usage (run with NCCL_DEBUG=WARN for details)",
    "remote process exited or there was a network error",
    "NCCL operation in progress"};

}  // namespace

ncclResult_t fail(ncclResult_t result, const char* what) {
  last_error = what;
  return result;
}

}  // namespace simgpu::nccl

// The wheel was built for 2.29.7, and compares.
SIMGPU_NCCL ncclResult_t ncclGetVersion(int* version) {
  SIMGPU_LIBRARY_API(ncclGetVersion);
  if (version == nullptr) {
    return simgpu_scope_.ends(ncclInvalidArgument);
  }
  *version = 2 * 10000 + 29 * 100 + 7;
  return simgpu_scope_.ends(ncclSuccess);
}

SIMGPU_NCCL const char* ncclGetErrorString(ncclResult_t result) {
  const auto number = static_cast<std::size_t>(result);
  return number < simgpu::nccl::kMeanings.size() ? simgpu::nccl::kMeanings[number]
                                                 : "unknown result code";
}

SIMGPU_NCCL const char* ncclGetLastError(ncclComm_t /*comm*/) { return simgpu::nccl::last_error; }
