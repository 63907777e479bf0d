// Kernels of the program's own libraries, known by the address of their host function, and how long
// a launch of one takes.
#pragma once

#include <array>
#include <cstdint>

#include "core/submit.h"

namespace simgpu::kernels {

struct Launch {
  const void* function = nullptr;
  std::array<std::uint32_t, 3> grid{1, 1, 1}, block{1, 1, 1};
  void** arguments = nullptr;  // may be null
  std::uint32_t shared_bytes = 0;
  double moved_bytes = 0;  // where the caller knows what it reads and writes; 0: it does not
};

void add(const void* function, const char* mangled_name);
const char* name_of(const void* function);  // "" where it is not known

// Puts the kernel onto the stream. Time: see cost_of.
Status launch(CUstream_st* stream, const Launch& launch);

// What a launch reads and writes is known from the names of PyTorch's own kernels and from their
// first argument where that is the number of elements; else each thread is taken to move 16 bytes.
// Flash attention is counted in FLOPs.
struct Cost {
  double flops = 0;
  double bytes = 0;
  FlopType type = FlopType::kF32;
};
Cost cost_of(const char* demangled_name, const Launch& launch);

}  // namespace simgpu::kernels
