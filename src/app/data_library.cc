#include "app/data_library.h"

#include <dlfcn.h>

#include <cstdlib>
#include <string>
#include <system_error>

namespace flatout::app {
namespace {

using base::ErrorCode;

std::filesystem::path library_path(const std::filesystem::path& exe) {
  const char* told = std::getenv("FLATOUT_DATA_LIBRARY");
  if (told != nullptr && *told != '\0') return told;
  std::error_code error;
  return std::filesystem::canonical(exe, error).parent_path().parent_path() / "lib" /
         "libflatout_data.so.0";
}

template <typename Function>
bool find(void* library, const char* name, Function& function) {
  function = reinterpret_cast<Function>(::dlsym(library, name));
  return function != nullptr;
}

}  // namespace

base::Result<DataLibrary> open_data_library(const std::filesystem::path& exe) {
  const std::filesystem::path path = library_path(exe);
  void* library = ::dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (library == nullptr) {
    const char* why = ::dlerror();
    return base::fail(ErrorCode::kNotFound,
                      "the loading engine cannot be opened: " +
                          std::string(why != nullptr ? why : path.string()) +
                          "; name libflatout_data.so.0 in FLATOUT_DATA_LIBRARY");
  }
  DataLibrary calls;
  const bool all = find(library, "flatout_data_error", calls.error) &&
                   find(library, "flatout_loader_open", calls.open) &&
                   find(library, "flatout_loader_open_files", calls.open_files) &&
                   find(library, "flatout_loader_open_blobs", calls.open_blobs) &&
                   find(library, "flatout_loader_close", calls.close) &&
                   find(library, "flatout_loader_samples", calls.samples) &&
                   find(library, "flatout_loader_begin", calls.begin) &&
                   find(library, "flatout_loader_next", calls.next) &&
                   find(library, "flatout_loader_stats", calls.stats) &&
                   find(library, "flatout_batch_size", calls.batch_size) &&
                   find(library, "flatout_batch_free", calls.batch_free) &&
                   find(library, "flatout_pack", calls.pack);
  if (!all) {
    return base::fail(ErrorCode::kInvalid,
                      path.string() +
                          " is of another version of flatout: it lacks a call; "
                          "install both of one version");
  }
  return calls;
}

}  // namespace flatout::app
