// What we use of NVTX's interface to a tool, with layouts of our own: NVTX 3 has kept them since
// its version 2. Source: NVIDIA's header nvtx3/nvToolsExt.h and those below nvtx3/nvtxDetail.
#pragma once

#include <cstddef>
#include <cstdint>

namespace flatout::inject::cupti {

// By which a tool asks NVTX for its tables.
using NvtxGetTable = const void* (*)(std::uint32_t id);
constexpr std::uint32_t kNvtxCallbacks = 1;

// A module's functions: for each number the place of the pointer that NVTX calls.
using NvtxFunction = void (*)();
struct NvtxCallbacks {
  std::size_t bytes;
  int (*module)(std::uint32_t module, NvtxFunction*** table, std::uint32_t* count);
};

constexpr std::uint32_t kNvtxCore = 1, kNvtxCore2 = 5;
// Of kNvtxCore.
constexpr std::uint32_t kMarkEx = 1, kMarkA = 2, kMarkW = 3, kStartEx = 4, kStartA = 5, kStartW = 6,
                        kEnd = 7;
constexpr std::uint32_t kPushEx = 8, kPushA = 9, kPushW = 10, kPop = 11;
// Of kNvtxCore2.
constexpr std::uint32_t kDomainMarkEx = 1, kDomainStartEx = 2, kDomainEnd = 3;
constexpr std::uint32_t kDomainPushEx = 4, kDomainPop = 5, kRegisterStringA = 10,
                        kRegisterStringW = 11;

// nvtxEventAttributes_t: what a range is called.
struct NvtxAttributes {
  std::uint16_t version;
  std::uint16_t bytes;
  std::uint32_t category;
  std::int32_t color_type;
  std::uint32_t color;
  std::int32_t payload_type;
  std::int32_t reserved;
  std::uint64_t payload;
  std::int32_t message_type;
  const void* message;
};
static_assert(offsetof(NvtxAttributes, message_type) == 32);
static_assert(offsetof(NvtxAttributes, message) == 40);
constexpr std::int32_t kMessageAscii = 1, kMessageWide = 2, kMessageRegistered = 3;

// What a push or pop gives without a tool; with us no other.
constexpr int kNvtxNoTracking = -2;

}  // namespace flatout::inject::cupti
