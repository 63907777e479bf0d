// NVRTC, "Compilation": what is "compiled" for, and which name a name expression gets.
#include <algorithm>
#include <cctype>
#include <cstdlib>
#include <cstring>

#include "core/api.h"
#include "nvrtc/program.h"

namespace simgpu::nvrtc {
namespace {

constexpr int kOldestArchitecture = 75;  // the default of CUDA 13

// 90 of --gpu-architecture=sm_90a or compute_90; -1 for what is neither.
int architecture_in(const char* value) {
  for (const char* const prefix : {"sm_", "compute_", "lto_"}) {
    if (std::strncmp(value, prefix, std::strlen(prefix)) == 0) {
      return std::atoi(value + std::strlen(prefix));
    }
  }
  return -1;
}

int architecture_of(int count, const char* const* options) {
  for (int i = 0; i < count; ++i) {
    for (const char* const name : {"--gpu-architecture", "-arch"}) {
      const std::size_t bytes = std::strlen(name);
      if (std::strncmp(options[i], name, bytes) != 0) {
        continue;
      }
      if (options[i][bytes] == '=') {
        return architecture_in(options[i] + bytes + 1);
      }
      return i + 1 < count ? architecture_in(options[i + 1]) : -1;
    }
  }
  return kOldestArchitecture;
}

// "ns::kernel<float, 4>" as a name that PTX allows. It is not the mangled name, which would need
// the types of the kernel's parameters.
std::string lowered(const std::string& expression) {
  std::string name = expression;
  std::replace_if(
      name.begin(), name.end(),
      [](char one) { return std::isalnum(static_cast<unsigned char>(one)) == 0; }, '_');
  return name;
}

void add_entry(std::string& ptx, const std::string& name) {
  ptx += ".visible .entry " + name + "() { ret; }\n";
}

}  // namespace
}  // namespace simgpu::nvrtc

extern "C" nvrtcResult nvrtcCompileProgram(nvrtcProgram handle, int count,
                                           const char* const* options) {
  SIMGPU_LIBRARY_API(nvrtcCompileProgram);
  using namespace simgpu::nvrtc;  // NOLINT
  Program* const program = program_of(handle);
  if (program == nullptr) {
    return NVRTC_ERROR_INVALID_PROGRAM;
  }
  const int architecture = architecture_of(count, options);
  if (architecture < kOldestArchitecture) {
    program->log = "nvrtc: error: invalid value for --gpu-architecture (-arch)\n";
    return NVRTC_ERROR_INVALID_OPTION;
  }
  const auto kernels = kernels_in(program->source);
  if (kernels.empty()) {
    program->log = "simgpu: there is no __global__ function\n";
    return NVRTC_ERROR_COMPILATION;
  }
  program->ptx =
      ".version 8.0\n.target sm_" + std::to_string(architecture) + "\n.address_size 64\n";
  for (const std::string& name : kernels) {
    add_entry(program->ptx, name);
  }
  for (auto& [expression, name] : program->lowered) {
    name = lowered(expression);
    if (std::find(kernels.begin(), kernels.end(), name) == kernels.end()) {
      add_entry(program->ptx, name);
    }
  }
  program->compiled = true;
  return NVRTC_SUCCESS;
}
