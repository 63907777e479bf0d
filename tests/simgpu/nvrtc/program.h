// A program of NVRTC. Nothing is compiled: its kernels are found in the source, and the PTX that
// comes out has an empty entry for each, which is all that the simulated driver reads.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "nvrtc/api.h"

namespace simgpu::nvrtc {

struct Program {
  std::string source;
  std::map<std::string, std::string> lowered;  // names in PTX by name expression
  bool compiled = false;
  std::string ptx, log;
};

Program* program_of(nvrtcProgram handle);  // null where it is none of ours

// Names after `__global__ void`, in order; launch bounds stand between in some.
std::vector<std::string> kernels_in(const std::string& source);

}  // namespace simgpu::nvrtc
