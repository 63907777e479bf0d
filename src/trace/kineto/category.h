// What an event of PyTorch's profiler is, by its category: Kineto's names of today and of 2021,
// whose case has changed since ("Kernel", "kernel").
#pragma once

#include <string_view>

#include "run/activity.h"

namespace flatout::trace {

enum class EventKind {
  kKernel,
  kCopy,
  kMemset,
  kCall,
  kOp,
  kPython,
  kAnnotation,
  kRange,
  kMark,
  kOther
};

EventKind event_kind(std::string_view category);

// Of a copy, by its name: "Memcpy HtoD (Pageable -> Device)", and HIP's "CopyHostToDevice".
run::CopyDirection copy_direction(std::string_view name);
run::HostMemory copy_memory(std::string_view name);

}  // namespace flatout::trace
