// Compiled once an instruction set; see flatout_by_instruction_set. The loops become vectors by
// themselves: what bounds them is memory.
#include "data/tokens/number_kernels.h"

#include <cstring>
#include <type_traits>

namespace flatout::data::FLATOUT_ISA {
namespace {

template <typename T>
T number_at(const std::byte* in, std::size_t place) {
  T out;
  std::memcpy(&out, in + place * sizeof(T), sizeof(T));
  return out;
}

template <typename From, typename To>
bool to_whole(const std::byte* in, std::size_t count, To* out) {
  if constexpr (std::is_same_v<From, To>) {
    std::memcpy(out, in, count * sizeof(To));
    return true;
  } else if constexpr (sizeof(From) < sizeof(To)) {
    for (std::size_t i = 0; i < count; ++i) out[i] = number_at<From>(in, i);
    return true;
  } else {
    using Wide = std::conditional_t<sizeof(From) == 8, std::uint64_t, std::uint32_t>;
    Wide lost = 0;  // bits of those that do not fit
    for (std::size_t i = 0; i < count; ++i) {
      const From value = number_at<From>(in, i);
      out[i] = static_cast<To>(value);
      if constexpr (std::is_signed_v<From>) {
        lost |= static_cast<Wide>(value ^ static_cast<From>(out[i]));
      } else {
        lost |= static_cast<Wide>(value) & ~Wide{0x7FFFFFFF};
      }
    }
    return lost == 0;
  }
}

template <typename To>
bool tokens_to(ElementType from, const std::byte* in, std::size_t count, To* out) {
  switch (from) {
    case ElementType::kUint8:
      return to_whole<std::uint8_t>(in, count, out);
    case ElementType::kUint16:
      return to_whole<std::uint16_t>(in, count, out);
    case ElementType::kUint32:
      return to_whole<std::uint32_t>(in, count, out);
    case ElementType::kInt32:
      return to_whole<std::int32_t>(in, count, out);
    case ElementType::kInt64:
      return to_whole<std::int64_t>(in, count, out);
    default:
      return false;
  }
}

template <typename To>
void fill_with(To token, std::size_t count, std::byte* at) {
  To* const out = reinterpret_cast<To*>(at);
  for (std::size_t i = 0; i < count; ++i) out[i] = token;
}

void fill_tokens(std::int64_t token, std::size_t count, ElementType to, std::byte* out) {
  if (to == ElementType::kInt64) return fill_with(token, count, out);
  fill_with(static_cast<std::int32_t>(token), count, out);
}

template <typename To>
void count_up(std::size_t count, std::byte* at) {
  To* const out = reinterpret_cast<To*>(at);
  for (std::size_t i = 0; i < count; ++i) out[i] = static_cast<To>(i);
}

void ascending_tokens(std::size_t count, ElementType to, std::byte* out) {
  if (to == ElementType::kInt64) return count_up<std::int64_t>(count, out);
  count_up<std::int32_t>(count, out);
}

template <typename From>
void to_float(const std::byte* in, std::size_t count, float scale, float offset, float* out) {
  for (std::size_t i = 0; i < count; ++i)
    out[i] = static_cast<float>(number_at<From>(in, i)) * scale + offset;
}

void numbers_to_float(ElementType from, const std::byte* in, std::size_t count, float scale,
                      float offset, float* out) {
  switch (from) {
    case ElementType::kUint8:
      return to_float<std::uint8_t>(in, count, scale, offset, out);
    case ElementType::kInt8:
      return to_float<std::int8_t>(in, count, scale, offset, out);
    case ElementType::kUint16:
      return to_float<std::uint16_t>(in, count, scale, offset, out);
    case ElementType::kInt16:
      return to_float<std::int16_t>(in, count, scale, offset, out);
    case ElementType::kUint32:
      return to_float<std::uint32_t>(in, count, scale, offset, out);
    case ElementType::kInt32:
      return to_float<std::int32_t>(in, count, scale, offset, out);
    case ElementType::kUint64:
      return to_float<std::uint64_t>(in, count, scale, offset, out);
    case ElementType::kInt64:
      return to_float<std::int64_t>(in, count, scale, offset, out);
    case ElementType::kFloat32:
      return to_float<float>(in, count, scale, offset, out);
    case ElementType::kFloat64:
      return to_float<double>(in, count, scale, offset, out);
    case ElementType::kFloat16:
      return;
  }
}

#if defined(__AVX2__)
constexpr const char* kName = "avx2";
#else
constexpr const char* kName = "plain";
#endif

constexpr NumberKernels kKernels = {.name = kName,
                                    .to_int64 = tokens_to<std::int64_t>,
                                    .to_int32 = tokens_to<std::int32_t>,
                                    .fill = fill_tokens,
                                    .ascend = ascending_tokens,
                                    .to_float32 = numbers_to_float};

}  // namespace

const NumberKernels& number_kernels() { return kKernels; }

}  // namespace flatout::data::FLATOUT_ISA
