// From the numbers of files to those of batches. Compiled once an instruction set
// (flatout_by_instruction_set).
#pragma once

#include <cstddef>
#include <cstdint>

#include "data/element_type.h"

namespace flatout::data {

// Pure, from any thread. `in` may lie at any byte; `out` at a multiple of its numbers' bytes.
struct NumberKernels {
  const char* name;

  // `count` tokens as int64. False where one does not fit, and then `out` means nothing: never for
  // int64. `from` is a type of TokenStream's.
  bool (*to_int64)(ElementType from, const std::byte* in, std::size_t count, std::int64_t* out);

  // The same as int32: uint32 and int64 may be too large.
  bool (*to_int32)(ElementType from, const std::byte* in, std::size_t count, std::int32_t* out);

  // `count` tokens that are all the same, or 0, 1, 2...: int64 or, where `to` is kInt32, int32.
  void (*fill)(std::int64_t token, std::size_t count, ElementType to, std::byte* out);
  void (*ascend)(std::size_t count, ElementType to, std::byte* out);

  // number * scale + offset, each rounded to float32. `from`: any type but float16.
  void (*to_float32)(ElementType from, const std::byte* in, std::size_t count, float scale,
                     float offset, float* out);
};

#if defined(__x86_64__)
namespace v3 {
const NumberKernels& number_kernels();
}
#endif
namespace baseline {
const NumberKernels& number_kernels();
}

// The fastest that this machine can run.
const NumberKernels& best_number_kernels();

}  // namespace flatout::data
