// What the entry points of NCCL take and give, as far as it is needed here; NVIDIA's header comes
// with a wheel of some hundred megabytes. Numbers: docs.nvidia.com, NCCL user guide, "API", "Types"
// and "Communicator Creation and Management Functions".
#pragma once

#include <cstddef>
#include <cstdint>

#include "core/api.h"
#include "core/submit.h"

enum ncclResult_t : int {
  ncclSuccess = 0,
  ncclUnhandledCudaError = 1,
  ncclSystemError = 2,
  ncclInternalError = 3,
  ncclInvalidArgument = 4,
  ncclInvalidUsage = 5,
  ncclRemoteError = 6,
  ncclInProgress = 7,
};

enum ncclDataType_t : int {
  ncclInt8 = 0,
  ncclUint8 = 1,
  ncclInt32 = 2,
  ncclUint32 = 3,
  ncclInt64 = 4,
  ncclUint64 = 5,
  ncclFloat16 = 6,
  ncclFloat32 = 7,
  ncclFloat64 = 8,
  ncclBfloat16 = 9,
  ncclFloat8e4m3 = 10,
  ncclFloat8e5m2 = 11,
  ncclNumTypes = 12,
};

// From ncclNumOps on: made by ncclRedOpCreatePreMulSum().
using ncclRedOp_t = int;
inline constexpr ncclRedOp_t ncclSum = 0;
inline constexpr ncclRedOp_t ncclProd = 1;
inline constexpr ncclRedOp_t ncclMax = 2;
inline constexpr ncclRedOp_t ncclMin = 3;
inline constexpr ncclRedOp_t ncclAvg = 4;
inline constexpr ncclRedOp_t ncclNumOps = 5;

struct ncclUniqueId {
  char internal[128];
};

// The start of it, the same in all versions.
struct ncclConfig_t {
  std::size_t size;
  unsigned magic;
  unsigned version;
  int blocking;
};
inline constexpr unsigned kNcclConfigMagic = 0xcafebeef;

struct ncclComm;
using ncclComm_t = ncclComm*;
using cudaStream_t = CUstream_st*;

#define SIMGPU_NCCL extern "C" __attribute__((visibility("default")))
