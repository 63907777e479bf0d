#include "inject/cupti/find_cupti.h"

#include <dlfcn.h>
#include <glob.h>
#include <limits.h>
#include <link.h>

#include <cstdio>
#include <cstring>

namespace flatout::inject::cupti {
namespace {

constexpr const char* kSonames[] = {"libcupti.so.13", "libcupti.so.12"};

// Folders of libraries of CUDA's, or of who brings them, that are loaded.
struct Folders {
  static constexpr int kMost = 16;
  char paths[kMost][512];
  int count = 0;
};

int note_folder(dl_phdr_info* info, std::size_t, void* user) {
  auto& folders = *static_cast<Folders*>(user);
  const char* const path = info->dlpi_name;
  const char* const slash = path != nullptr ? std::strrchr(path, '/') : nullptr;
  if (slash == nullptr || folders.count >= Folders::kMost) return 0;
  bool known = false;
  for (const char* of : {"libcudart", "libnvrtc", "libcublas", "libcudnn", "libtorch_cuda"}) {
    known = known || std::strncmp(slash + 1, of, std::strlen(of)) == 0;
  }
  const auto length = static_cast<std::size_t>(slash - path);
  if (!known || length >= sizeof folders.paths[0]) return 0;
  std::memcpy(folders.paths[folders.count], path, length);
  folders.paths[folders.count++][length] = '\0';
  return 0;
}

void* open_in(const char* folder, const char* below, const char* soname) {
  char path[PATH_MAX];
  const int n = std::snprintf(path, sizeof path, "%s%s/%s", folder, below, soname);
  if (n <= 0 || n >= static_cast<int>(sizeof path)) return nullptr;
  return ::dlopen(path, RTLD_NOW | RTLD_LOCAL);
}

// Wheels have a folder for each library (nvidia/cuda_cupti/lib), or, from CUDA 13 on, one for all;
// a toolkit has CUPTI under extras.
void* open_beside(const Folders& folders) {
  constexpr const char* kBelow[] = {"",
                                    "/../../cuda_cupti/lib",
                                    "/../../cu13/lib",
                                    "/../../nvidia/cu13/lib",
                                    "/../../nvidia/cuda_cupti/lib",
                                    "/../extras/CUPTI/lib64",
                                    "/../../../extras/CUPTI/lib64"};
  for (int i = 0; i < folders.count; ++i) {
    for (const char* below : kBelow) {
      for (const char* soname : kSonames) {
        if (void* library = open_in(folders.paths[i], below, soname)) return library;
      }
    }
  }
  return nullptr;
}

void* open_toolkit(const char* home) {
  for (const char* soname : kSonames) {
    if (*home == '\0') break;
    if (void* library = open_in(home, "/extras/CUPTI/lib64", soname)) return library;
  }
  glob_t found{};
  void* library = nullptr;
  if (::glob("/usr/local/cuda*/extras/CUPTI/lib64", 0, nullptr, &found) == 0) {
    for (std::size_t i = 0; i < found.gl_pathc && library == nullptr; ++i) {
      for (const char* soname : kSonames) {
        if (library == nullptr) library = open_in(found.gl_pathv[i], "", soname);
      }
    }
  }
  ::globfree(&found);
  return library;
}

void* open_any(const char* cuda_home) {
  for (const char* soname : kSonames) {
    if (void* library = ::dlopen(soname, RTLD_NOW | RTLD_NOLOAD)) return library;
  }
  Folders folders;
  ::dl_iterate_phdr(note_folder, &folders);
  if (void* library = open_beside(folders)) return library;
  if (void* library = open_toolkit(cuda_home)) return library;
  for (const char* soname : kSonames) {
    if (void* library = ::dlopen(soname, RTLD_NOW | RTLD_LOCAL)) return library;
  }
  return nullptr;
}

template <typename Function>
bool take(void* library, const char* name, Function** function) {
  *function = reinterpret_cast<Function*>(::dlsym(library, name));
  return *function != nullptr;
}

}  // namespace

const char* find_cupti(const char* cuda_home, Api* found) {
  void* library = open_any(cuda_home);
  if (library == nullptr) return "no libcupti.so.13 or libcupti.so.12 was found";
  const bool whole = take(library, "cuptiGetVersion", &found->get_version) &&
                     take(library, "cuptiGetTimestamp", &found->get_timestamp) &&
                     take(library, "cuptiSubscribe", &found->subscribe) &&
                     take(library, "cuptiUnsubscribe", &found->unsubscribe) &&
                     take(library, "cuptiActivityRegisterCallbacks", &found->register_callbacks) &&
                     take(library, "cuptiActivityEnable", &found->enable) &&
                     take(library, "cuptiActivityDisable", &found->disable) &&
                     take(library, "cuptiActivityFlushAll", &found->flush_all) &&
                     take(library, "cuptiActivityGetNextRecord", &found->next_record) &&
                     take(library, "cuptiActivityGetNumDroppedRecords", &found->dropped) &&
                     take(library, "cuptiGetCallbackName", &found->callback_name);
  if (!whole) return "libcupti lacks a function of its activity API";
  take(library, "cuptiActivityRegisterTimestampCallback", &found->use_clock);
  take(library, "cuptiSetThreadIdType", &found->set_thread_ids);
  take(library, "cuptiGetThreadIdType", &found->get_thread_ids);
  take(library, "cuptiActivityEnableDriverApi", &found->enable_driver_call);
  take(library, "cuptiActivityEnableRuntimeApi", &found->enable_runtime_call);
  return nullptr;
}

}  // namespace flatout::inject::cupti
