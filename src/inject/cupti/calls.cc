#include "inject/cupti/calls.h"

#include <cstring>

namespace flatout::inject::cupti {
namespace {

bool begins(const char* text, const char* with) {
  return std::strncmp(text, with, std::strlen(with)) == 0;
}

// What follows the prefix that all functions of CUDA have; null without one.
const char* behind_prefix(const char* name) {
  while (*name == '_') ++name;  // __cudaLaunchKernel
  if (begins(name, "cuda")) return name + 4;
  if (begins(name, "cu")) return name + 2;
  return nullptr;
}

constexpr const char* kLaunching[] = {"Launch", "GraphLaunch", "Memcpy", "Memset", "MemPrefetch"};

constexpr const char* kBesides[] = {
    "Malloc",           "Free",
    "MemAlloc",         "MemFree",
    "HostAlloc",        "MemHostAlloc",
    "HostRegister",     "MemHostReg",
    "HostUnregister",   "MemHostUnreg",
    "MemCreate",        "MemMap",
    "MemUnmap",         "MemRelease",
    "MemSetAccess",     "MemPoolTrimTo",
    "GraphUpload",      "GraphInstantiate",
    "GraphExecDestroy", "ModuleLoad",
    "ModuleUnload",     "LibraryLoad",
    "LibraryUnload",    "LinkComplete",
    "CtxCreate",        "DevicePrimaryCtxRetain",
    "DeviceReset",
};

}  // namespace

CallWorth worth_of_call(const char* name) {
  const char* what = behind_prefix(name);
  if (what == nullptr) return {};
  for (const char* one : kLaunching) {
    if (begins(what, one)) return {.wanted = true, .launches = true};
  }
  if (std::strstr(what, "Synchronize") != nullptr) return {.wanted = true, .launches = false};
  for (const char* one : kBesides) {
    if (begins(what, one)) return {.wanted = true, .launches = false};
  }
  return {};
}

std::size_t bare_length(const char* name) {
  const std::size_t length = std::strlen(name);
  std::size_t at = length;
  while (at > 0 && name[at - 1] >= '0' && name[at - 1] <= '9') --at;
  const bool version = at < length && at > 2 && name[at - 1] == 'v' && name[at - 2] == '_';
  return version ? at - 2 : length;
}

}  // namespace flatout::inject::cupti
