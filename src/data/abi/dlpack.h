// DLPack's structures (version 0.x, which every consumer still takes), declared by ourselves.
#pragma once

#include <cstdint>

namespace flatout::data::abi {

struct DlDevice {
  std::int32_t type;
  std::int32_t number;
};
constexpr std::int32_t kDlCuda = 2;

struct DlType {
  std::uint8_t code;
  std::uint8_t bits;
  std::uint16_t lanes;
};
constexpr std::uint8_t kDlInt = 0;
constexpr std::uint8_t kDlUint = 1;
constexpr std::uint8_t kDlFloat = 2;
constexpr std::uint8_t kDlBfloat = 4;

struct DlTensor {
  void* data;
  DlDevice device;
  std::int32_t axes;
  DlType type;
  std::int64_t* shape;
  std::int64_t* strides;  // in elements
  std::uint64_t byte_offset;
};

// The consumer calls `deleter` once, on any thread.
struct DlManagedTensor {
  DlTensor tensor;
  void* owner;
  void (*deleter)(DlManagedTensor*);
};

}  // namespace flatout::data::abi
