#include "nccl/process_state.h"

#include <cstdio>
#include <cstring>

namespace simgpu::nccl {

bool is_alive(pid_t pid) {
  char path[32];
  std::snprintf(path, sizeof path, "/proc/%d/stat", pid);
  std::FILE* const file = std::fopen(path, "re");
  if (file == nullptr) {
    return false;
  }
  char line[256];
  const char* const read = std::fgets(line, sizeof line, file);
  std::fclose(file);
  // proc(5): the state comes behind the name, which is in brackets and may have some itself.
  const char* const name_end = read == nullptr ? nullptr : std::strrchr(line, ')');
  return name_end != nullptr && std::strlen(name_end) > 2 && name_end[2] != 'Z' &&
         name_end[2] != 'X';
}

}  // namespace simgpu::nccl
