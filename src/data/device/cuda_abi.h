// What we use of the CUDA driver's interface, declared by ourselves: names, numbers and layouts as
// the driver's documentation gives them. Stable since CUDA 11.
#pragma once

#include <cstdint>

namespace flatout::data::device {

using CudaContext = struct CudaContextTag*;
using CudaStream = struct CudaStreamTag*;
using CudaEvent = struct CudaEventTag*;
using CudaModule = struct CudaModuleTag*;
using CudaKernel = struct CudaKernelTag*;
using DeviceAddress = std::uint64_t;

enum class CudaCode : int {
  kSuccess = 0,
  kInvalidValue = 1,
  kOutOfMemory = 2,
  kNotInitialized = 3,
  kDeinitialized = 4,
  kNoDevice = 100,
  kInvalidDevice = 101,
  kInvalidContext = 201,
  kInvalidPtx = 218,
  kInvalidHandle = 400,
  kNotFound = 500,
  kNotReady = 600,
  kIllegalAddress = 700,
  kAlreadyRegistered = 712,
  kNotRegistered = 713,
};

constexpr unsigned kStreamNonBlocking = 1;     // does not wait for the legacy default stream
constexpr unsigned kEventDefault = 0;          // with times
constexpr unsigned kEventDisableTiming = 2;    // cheaper
constexpr unsigned kHostRegisterPortable = 1;  // pinned for every context

// The two streams that every context has, by numbers instead of pointers.
constexpr std::uintptr_t kLegacyStream = 1;
constexpr std::uintptr_t kPerThreadStream = 2;

}  // namespace flatout::data::device
