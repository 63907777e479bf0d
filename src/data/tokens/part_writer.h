// Places of one sample's parts in a batch, and tokens as they are wanted there.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

#include "base/result.h"
#include "data/element_type.h"
#include "data/feed/sample_maker.h"
#include "data/tokens/number_kernels.h"

namespace flatout::data {

// Walks over the arrays of a batch, each of at.samples parts.
class PartWriter {
 public:
  explicit PartWriter(const BatchPlace& at) : at_(at) {}

  // This sample's part of the next array, whose parts have `bytes` each.
  std::byte* next(std::size_t bytes) {
    std::byte* const out = at_.batch + array_ + at_.place * bytes;
    array_ = aligned_array(array_ + at_.samples * bytes);
    return out;
  }

 private:
  BatchPlace at_;
  std::size_t array_ = 0;  // where the next one begins
};

// The types that tokens may have in batches.
constexpr bool is_token_output(ElementType type) {
  return type == ElementType::kInt64 || type == ElementType::kInt32;
}

// `count` tokens at `in`; kCorrupt where one does not fit.
inline base::Result<void> write_tokens(const NumberKernels& kernels, ElementType from,
                                       const std::byte* in, std::size_t count, ElementType to,
                                       std::byte* out) {
  const bool fits = to == ElementType::kInt64
                        ? kernels.to_int64(from, in, count, reinterpret_cast<std::int64_t*>(out))
                        : kernels.to_int32(from, in, count, reinterpret_cast<std::int32_t*>(out));
  if (fits) return {};
  return base::fail(base::ErrorCode::kCorrupt,
                    "a token does not fit into int32; ask for int64, or look at the file");
}

}  // namespace flatout::data
