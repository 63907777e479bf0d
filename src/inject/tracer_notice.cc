#include "inject/tracer_notice.h"

#include <dlfcn.h>

#include <cstdlib>
#include <cstring>

namespace flatout::inject {
namespace {

constexpr const char* kLibrary = "/libflatout_inject.so";

bool is_ours(const char* path) {
  const char* slash = std::strrchr(path, '/');
  return slash != nullptr && std::strcmp(slash, kLibrary) == 0;
}

}  // namespace

void say_steps_to_tracer() {
  const char* path = std::getenv("CUDA_INJECTION64_PATH");
  if (path == nullptr || !is_ours(path)) return;
  void* agent = ::dlopen(path, RTLD_LAZY | RTLD_NOLOAD);
  if (agent == nullptr) return;  // CUDA was not used
  if (void* say = ::dlsym(agent, "flatout_trace_steps")) reinterpret_cast<int (*)()>(say)();
  ::dlclose(agent);
}

}  // namespace flatout::inject
