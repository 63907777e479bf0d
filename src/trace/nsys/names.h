// What an export of Nsight Systems calls things, as PyTorch's profiler calls them, so that the
// rules that go by names know them.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "run/activity.h"

namespace flatout::trace {

// "Memcpy HtoD (Pageable -> Device)". Numbers are those of NVIDIA's documentation: 1 is
// CUDA_MEMCPY_KIND_HTOD, and of memory 0 is CUDA_MEMOPR_MEMORY_KIND_PAGEABLE.
std::string copy_name(std::optional<std::int64_t> kind, std::optional<std::int64_t> from,
                      std::optional<std::int64_t> to);
// "Memset (Device)".
std::string memset_name(std::optional<std::int64_t> memory);

// The number that the documentation gives to a name of the tables ENUM_CUDA_MEMCPY_OPER and
// ENUM_CUDA_MEM_KIND; absent of others.
std::optional<std::int64_t> copy_kind(std::string_view enumerator);
std::optional<std::int64_t> memory_kind(std::string_view enumerator);

// "cudaLaunchKernel" of "cudaLaunchKernel_v7000".
std::string_view call_name(std::string_view name);

struct RangeName {
  std::string_view name;
  run::HostSpanKind kind = run::HostSpanKind::kAnnotation;
};
// Of an NVTX range. What PyTorch's emit_nvtx adds to a name is cut off, "aten::add, seq = 3", and
// functions of PyTorch are its ops.
RangeName range_name(std::string_view text);

}  // namespace flatout::trace
