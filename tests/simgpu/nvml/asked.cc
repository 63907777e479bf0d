#include "nvml/asked.h"

#include <cstdio>
#include <cstdlib>
#include <sstream>
#include <string>

namespace simgpu::nvml {
namespace {

bool* flag_of(Asked& asked, const std::string& word) {
  if (word == "no_processes") {
    return &asked.no_processes;
  }
  if (word == "processes_denied") {
    return &asked.processes_denied;
  }
  if (word == "no_samples") {
    return &asked.no_samples;
  }
  return word == "mig" ? &asked.mig : nullptr;
}

Asked read() {
  Asked read;
  const char* const words = std::getenv("SIMGPU_NVML");
  std::istringstream in(words == nullptr ? "" : words);
  for (std::string word; std::getline(in, word, ',');) {
    if (bool* const flag = flag_of(read, word)) {
      *flag = true;
    } else {
      std::fprintf(stderr, "simgpu: SIMGPU_NVML does not know %s\n", word.c_str());
    }
  }
  return read;
}

}  // namespace

const Asked& asked() {
  static const auto* const once = new Asked(read());
  return *once;
}

}  // namespace simgpu::nvml
