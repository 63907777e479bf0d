#include "inject/ring_environment.h"

#include <cstdlib>
#include <cstring>
#include <initializer_list>

#include "wire/ring_segment.h"

namespace flatout::inject {

int rank_from_environment() {
  for (const char* name : {"RANK", "OMPI_COMM_WORLD_RANK", "PMI_RANK", "MV2_COMM_WORLD_RANK"}) {
    const char* text = std::getenv(name);
    if (text == nullptr || *text == '\0') continue;
    char* end = nullptr;
    const long rank = std::strtol(text, &end, 10);
    if (*end == '\0' && rank >= 0 && rank < (1 << 24)) return static_cast<int>(rank);
  }
  return -1;
}

bool shares_segments() {
  const char* recorder = std::getenv("FLATOUT_RING_IPC");
  return recorder != nullptr && is_own_ipc(recorder);
}

bool is_own_ipc(const char* name) {
  return *name != '\0' && std::strcmp(name, wire::own_ipc_namespace().name) == 0;
}

}  // namespace flatout::inject
