// From a pixel's byte to its number: what a channel's 256 values become stands in a table, which
// the CPU computes, so that a device gives the same bits. For C++ and CUDA alike.
#pragma once

#include <cstdint>

#ifdef __CUDACC__
#define FLATOUT_HOST_AND_DEVICE __host__ __device__
#else
#define FLATOUT_HOST_AND_DEVICE
#endif

namespace flatout::data::device {

constexpr std::uint32_t kTableValues = 256;     // of each channel, one channel behind the other
constexpr std::uint32_t kThreadsOfBlock = 256;  // of the kernels
constexpr std::uint32_t kBytesOfThread = 4;
constexpr std::uint32_t kBytesOfBlock = kThreadsOfBlock * kBytesOfThread;

// Bytes of many pictures, one after the other. `stride`: from a channel's value to the next
// channel's: height * width where channels come first, 1 where they come last.
struct PixelBytes {
  std::uint32_t count;
  std::uint32_t stride;
  std::uint32_t channels;
};

// The number for byte `at`, at < count. `Number` is float, or the bits of a 16-bit type.
template <typename Number>
FLATOUT_HOST_AND_DEVICE inline void write_level(const PixelBytes& shape, std::uint32_t at,
                                                const Number* table, const std::uint8_t* bytes,
                                                Number* out) {
  const std::uint32_t channel = at / shape.stride % shape.channels;
  out[at] = table[channel * kTableValues + bytes[at]];
}

// What one thread of a block does. Neighbours take neighbouring bytes.
template <typename Number>
FLATOUT_HOST_AND_DEVICE inline void write_levels(const PixelBytes& shape, std::uint32_t block,
                                                 std::uint32_t thread, const Number* table,
                                                 const std::uint8_t* bytes, Number* out) {
  for (std::uint32_t i = 0; i < kBytesOfThread; ++i) {
    const std::uint64_t at = std::uint64_t{block} * kBytesOfBlock + i * kThreadsOfBlock + thread;
    if (at < shape.count) write_level(shape, static_cast<std::uint32_t>(at), table, bytes, out);
  }
}

}  // namespace flatout::data::device
