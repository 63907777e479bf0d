#include "nccl/reduction.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cstring>
#include <type_traits>

namespace simgpu::nccl {
namespace {

struct Bfloat16 {
  std::uint16_t bits = 0;

  Bfloat16() = default;
  explicit Bfloat16(float value) {
    const auto wide = std::bit_cast<std::uint32_t>(value);
    const std::uint32_t half = 0x7fffU + ((wide >> 16U) & 1U);  // to nearest, ties to even
    bits = static_cast<std::uint16_t>(value != value ? 0x7fc0U : (wide + half) >> 16U);
  }
  explicit operator float() const {
    return std::bit_cast<float>(static_cast<std::uint32_t>(bits) << 16U);
  }
};

// What a type is computed in: narrow floats in float, as NCCL's kernels do for the average.
template <typename T>
using Wide = std::conditional_t<
    std::is_same_v<T, Bfloat16> || std::is_same_v<T, _Float16>, float,
    std::conditional_t<std::is_integral_v<T>,
                       std::conditional_t<std::is_signed_v<T>, std::int64_t, std::uint64_t>, T>>;

template <typename T>
Wide<T> read(const void* from, std::size_t index) {
  T value{};
  std::memcpy(&value, static_cast<const char*>(from) + index * sizeof(T), sizeof(T));
  return static_cast<Wide<T>>(value);
}

// Integers wrap around, as those of the device do.
template <typename W>
W combine(ncclRedOp_t op, W a, W b) {
  using Wrapping = std::conditional_t<std::is_integral_v<W>, std::uint64_t, W>;
  switch (op) {
    case ncclProd:
      return static_cast<W>(static_cast<Wrapping>(a) * static_cast<Wrapping>(b));
    case ncclMax:
      return std::max(a, b);
    case ncclMin:
      return std::min(a, b);
    default:
      return static_cast<W>(static_cast<Wrapping>(a) + static_cast<Wrapping>(b));
  }
}

template <typename T>
void reduce_as(const Reduction& what, const std::vector<const void*>& sources,
               const std::vector<const void*>& scalars, void* to, std::size_t count) {
  using W = Wide<T>;
  for (std::size_t i = 0; i < count; ++i) {
    W sum{};
    for (std::size_t rank = 0; rank < sources.size(); ++rank) {
      W value = read<T>(sources[rank], i);
      if (what.scaled) {
        value = combine<W>(ncclProd, value, read<T>(scalars[rank], 0));
      }
      sum = rank == 0 ? value : combine(what.op, sum, value);
    }
    if (what.op == ncclAvg) {
      sum = sum / static_cast<W>(sources.size());
    }
    const auto narrow = static_cast<T>(sum);
    std::memcpy(static_cast<char*>(to) + i * sizeof(T), &narrow, sizeof(T));
  }
}

using Reducer = void (*)(const Reduction&, const std::vector<const void*>&,
                         const std::vector<const void*>&, void*, std::size_t);

// In the order of ncclDataType_t.
constexpr std::array<Reducer, 10> kReducers = {reduce_as<std::int8_t>,  reduce_as<std::uint8_t>,
                                               reduce_as<std::int32_t>, reduce_as<std::uint32_t>,
                                               reduce_as<std::int64_t>, reduce_as<std::uint64_t>,
                                               reduce_as<_Float16>,     reduce_as<float>,
                                               reduce_as<double>,       reduce_as<Bfloat16>};
constexpr std::array<std::size_t, ncclNumTypes> kBytes = {1, 1, 4, 4, 8, 8, 2, 4, 8, 2, 1, 1};

}  // namespace

std::size_t bytes_of(ncclDataType_t type) {
  const auto number = static_cast<std::size_t>(type);
  return number < kBytes.size() ? kBytes[number] : 0;
}

bool can_reduce(ncclDataType_t type) { return static_cast<std::size_t>(type) < kReducers.size(); }

void reduce(const Reduction& what, const std::vector<const void*>& sources,
            const std::vector<const void*>& scalars, void* to, std::size_t count) {
  if (can_reduce(what.type)) {
    kReducers[static_cast<std::size_t>(what.type)](what, sources, scalars, to, count);
  }
}

}  // namespace simgpu::nccl
