// NVML API Reference Guide, "Initialization and Cleanup" and "System Queries".
#include "nvml/init.h"

#include <atomic>
#include <cstring>
#include <fstream>
#include <string>

namespace simgpu::nvml {
namespace {

// Of a driver that CUDA 13.0 asks for (CUDA Toolkit Release Notes, "CUDA Driver").
constexpr const char* kDriver = "580.65.06";
constexpr int kCudaDriver = 13000;

std::atomic<int> users{0};

}  // namespace

bool is_initialized() { return users.load() > 0; }

nvmlReturn_t give_text(std::string_view text, char* buffer, unsigned bytes) {
  if (buffer == nullptr) {
    return NVML_ERROR_INVALID_ARGUMENT;
  }
  if (text.size() + 1 > bytes) {
    return NVML_ERROR_INSUFFICIENT_SIZE;
  }
  std::memcpy(buffer, text.data(), text.size());
  buffer[text.size()] = '\0';
  return NVML_SUCCESS;
}

}  // namespace simgpu::nvml

using simgpu::nvml::give_text;
using simgpu::nvml::is_initialized;

extern "C" {

nvmlReturn_t nvmlInit_v2() {
  ++simgpu::nvml::users;
  return NVML_SUCCESS;
}

nvmlReturn_t nvmlInit() { return nvmlInit_v2(); }

nvmlReturn_t nvmlInitWithFlags(unsigned) { return nvmlInit_v2(); }

// "A reference count of the number of initializations is maintained."
nvmlReturn_t nvmlShutdown() {
  int now = simgpu::nvml::users.load();
  do {
    if (now == 0) {
      return NVML_ERROR_UNINITIALIZED;
    }
  } while (!simgpu::nvml::users.compare_exchange_weak(now, now - 1));
  return NVML_SUCCESS;
}

nvmlReturn_t nvmlSystemGetDriverVersion(char* version, unsigned bytes) {
  return is_initialized() ? give_text(simgpu::nvml::kDriver, version, bytes)
                          : NVML_ERROR_UNINITIALIZED;
}

nvmlReturn_t nvmlSystemGetNVMLVersion(char* version, unsigned bytes) {
  return give_text(std::string("13.") + simgpu::nvml::kDriver, version, bytes);
}

// Works without nvmlInit().
nvmlReturn_t nvmlSystemGetCudaDriverVersion(int* version) {
  if (version == nullptr) {
    return NVML_ERROR_INVALID_ARGUMENT;
  }
  *version = simgpu::nvml::kCudaDriver;
  return NVML_SUCCESS;
}

nvmlReturn_t nvmlSystemGetCudaDriverVersion_v2(int* version) {
  return nvmlSystemGetCudaDriverVersion(version);
}

nvmlReturn_t nvmlSystemGetProcessName(unsigned pid, char* name, unsigned bytes) {
  if (!is_initialized()) {
    return NVML_ERROR_UNINITIALIZED;
  }
  std::ifstream in("/proc/" + std::to_string(pid) + "/cmdline");
  std::string first;
  if (name == nullptr || bytes == 0) {
    return NVML_ERROR_INVALID_ARGUMENT;
  }
  if (!std::getline(in, first, '\0')) {
    return NVML_ERROR_NOT_FOUND;
  }
  return give_text(first.substr(0, bytes - 1), name, bytes);
}

}  // extern "C"
