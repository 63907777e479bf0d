#include "trace/kineto/category.h"

#include <algorithm>
#include <array>
#include <utility>

#include "base/ascii.h"

namespace flatout::trace {
namespace {

using Named = std::pair<std::string_view, EventKind>;

constexpr auto kCategories = std::to_array<Named>({
    {"kernel", EventKind::kKernel},
    {"gpu_memcpy", EventKind::kCopy},
    {"memcpy", EventKind::kCopy},
    {"gpu_memset", EventKind::kMemset},
    {"memset", EventKind::kMemset},
    {"cuda_runtime", EventKind::kCall},
    {"cuda_driver", EventKind::kCall},
    {"hip_runtime", EventKind::kCall},
    {"runtime", EventKind::kCall},
    {"driver", EventKind::kCall},
    {"xpu_runtime", EventKind::kCall},
    {"xpu_driver", EventKind::kCall},
    {"cpu_op", EventKind::kOp},
    {"operator", EventKind::kOp},
    {"python_function", EventKind::kPython},
    {"user_annotation", EventKind::kAnnotation},
    {"range", EventKind::kRange},  // of flatout's own files
    {"mark", EventKind::kMark},
});

bool holds(std::string_view text, std::string_view part) {
  return text.find(part) != std::string_view::npos;
}

}  // namespace

EventKind event_kind(std::string_view category) {
  const auto found = std::ranges::find_if(kCategories, [&](const Named& named) {
    return std::ranges::equal(named.first, category, {}, {}, base::lower);
  });
  return found == kCategories.end() ? EventKind::kOther : found->second;
}

run::CopyDirection copy_direction(std::string_view name) {
  if (holds(name, "HtoD") || holds(name, "HostToDevice")) return run::CopyDirection::kHostToDevice;
  if (holds(name, "DtoH") || holds(name, "DeviceToHost")) return run::CopyDirection::kDeviceToHost;
  if (holds(name, "DtoD") || holds(name, "PtoP") || holds(name, "DeviceToDevice")) {
    return run::CopyDirection::kDeviceToDevice;
  }
  return run::CopyDirection::kUnknown;
}

run::HostMemory copy_memory(std::string_view name) {
  if (holds(name, "Pageable")) return run::HostMemory::kPageable;
  if (holds(name, "Pinned")) return run::HostMemory::kPinned;
  return run::HostMemory::kUnknown;
}

}  // namespace flatout::trace
