#include "trace/nsys/names.h"

#include <algorithm>
#include <array>
#include <iterator>
#include <span>

namespace flatout::trace {
namespace {

struct Enumerator {
  std::string_view id;  // as the documentation has it, without what all begin with
  std::string_view label;
};

// By number.
constexpr auto kCopyKinds = std::to_array<Enumerator>({{"UNKNOWN", "Unknown"},
                                                       {"HTOD", "HtoD"},
                                                       {"DTOH", "DtoH"},
                                                       {"HTOA", "HtoA"},
                                                       {"ATOH", "AtoH"},
                                                       {"ATOA", "AtoA"},
                                                       {"ATOD", "AtoD"},
                                                       {"DTOA", "DtoA"},
                                                       {"DTOD", "DtoD"},
                                                       {"HTOH", "HtoH"},
                                                       {"PTOP", "PtoP"},
                                                       {"UVM_HTOD", "Unified HtoD"},
                                                       {"UVM_DTOH", "Unified DtoH"},
                                                       {"UVM_DTOD", "Unified DtoD"}});
constexpr auto kMemoryKinds = std::to_array<Enumerator>({{"PAGEABLE", "Pageable"},
                                                         {"PINNED", "Pinned"},
                                                         {"DEVICE", "Device"},
                                                         {"ARRAY", "Array"},
                                                         {"MANAGED", "Managed"},
                                                         {"DEVICE_STATIC", "Device Static"},
                                                         {"MANAGED_STATIC", "Managed Static"},
                                                         {"UNKNOWN", "Unknown"}});

std::string_view label_of(std::span<const Enumerator> all, std::optional<std::int64_t> number) {
  if (!number || *number < 0 || *number >= std::ssize(all)) return "Unknown";
  return all[static_cast<std::size_t>(*number)].label;
}

std::optional<std::int64_t> number_of(std::span<const Enumerator> all, std::string_view prefix,
                                      std::string_view name) {
  if (!name.starts_with(prefix)) return std::nullopt;
  name.remove_prefix(prefix.size());
  const auto found = std::ranges::find(all, name, &Enumerator::id);
  if (found == all.end()) return std::nullopt;
  return std::distance(all.begin(), found);
}

// getNvtxStr of torch/csrc/profiler/util.cpp.
constexpr std::string_view kAdded[] = {"seq = ", "stashed seq",
                                       "op_id = ", "sizes = ", "input_op_ids = "};

}  // namespace

std::string copy_name(std::optional<std::int64_t> kind, std::optional<std::int64_t> from,
                      std::optional<std::int64_t> to) {
  std::string name = "Memcpy " + std::string(label_of(kCopyKinds, kind));
  if (!from && !to) return name;
  name.append(" (").append(label_of(kMemoryKinds, from));
  return name.append(" -> ").append(label_of(kMemoryKinds, to)).append(")");
}

std::string memset_name(std::optional<std::int64_t> memory) {
  return "Memset (" + std::string(label_of(kMemoryKinds, memory)) + ")";
}

std::optional<std::int64_t> copy_kind(std::string_view enumerator) {
  return number_of(kCopyKinds, "CUDA_MEMCPY_KIND_", enumerator);
}

std::optional<std::int64_t> memory_kind(std::string_view enumerator) {
  return number_of(kMemoryKinds, "CUDA_MEMOPR_MEMORY_KIND_", enumerator);
}

std::string_view call_name(std::string_view name) {
  const std::size_t version = name.rfind("_v");
  if (version == std::string_view::npos || version + 2 == name.size()) return name;
  const std::string_view digits = name.substr(version + 2);
  return digits.find_first_not_of("0123456789") == std::string_view::npos ? name.substr(0, version)
                                                                          : name;
}

RangeName range_name(std::string_view text) {
  RangeName range{.name = text};
  for (std::size_t at = text.find(", "); at != std::string_view::npos;
       at = text.find(", ", at + 2)) {
    const std::string_view rest = text.substr(at + 2);
    const auto begins = [&](std::string_view added) { return rest.starts_with(added); };
    if (!std::ranges::any_of(kAdded, begins)) continue;
    range.name = text.substr(0, at);
    break;
  }
  const bool op = range.name.starts_with("aten::") || range.name.starts_with("autograd::");
  if (op) range.kind = run::HostSpanKind::kOp;
  return range;
}

}  // namespace flatout::trace
