// What PyTorch's caching allocator has of the devices, read at the ends of steps, a few times a
// second. It is asked for its own figures, which it keeps on the host: no call reaches a device,
// nothing is reset, and CUDA is not started. What fails says so once and is switched off.
#pragma once

#include <cstdint>

#include "inject/python_api.h"

namespace flatout::inject {

// At most one sample in this time; what is a peak between two is in the allocator's own.
constexpr std::int64_t kAllocatorSampleNs = 200'000'000;

// New references are taken.
struct AllocatorNeeds {
  PyObject* is_initialized;  // torch.cuda's: asked until it says True
  PyObject* devices;         // () -> how many the allocator knows, 0: it is not to be asked
  PyObject* memory_stats;    // device -> nested dict, torch._C._cuda_memoryStats
  PyObject* say_problem;     // why (a text or an exception) -> None
};
void set_allocator(const AllocatorNeeds& needs);

// The interpreter is held. At the end of a step: nothing but a look at the clock where no sample is
// due.
void sample_allocator_if_due();
void sample_allocator();

}  // namespace flatout::inject
