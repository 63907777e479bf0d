#include "launch/installation.h"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <system_error>

namespace flatout::launch {
namespace {

namespace fs = std::filesystem;
using base::ErrorCode;

std::string how_to_complete(const fs::path& binary) {
  if (binary.parent_path().parent_path().filename() == "_prefix") {
    return "install flatout's wheel again (pip install --force-reinstall)";
  }
  return "copy lib/flatout along with bin/flatout";
}

// `file` as it was found beside `binary`. By the effective user, as the program will read it.
base::Result<fs::path> readable(const fs::path& file, const fs::path& binary) {
  if (::faccessat(AT_FDCWD, file.c_str(), R_OK, AT_EACCESS) == 0) return file;
  const int error = errno;
  if (error == ENOENT || error == ENOTDIR) {
    return base::fail(ErrorCode::kNotFound,
                      file.string() + " is missing; " + how_to_complete(binary));
  }
  return base::fail(ErrorCode::kUnavailable,
                    file.string() + " cannot be read: " + std::strerror(error) +
                        "; make it readable for this user, or install flatout for them");
}

}  // namespace

base::Result<fs::path> find_companion(const std::string& name, const fs::path& exe) {
  std::error_code error;
  const fs::path binary = fs::canonical(exe, error);
  if (error) {
    return base::fail(ErrorCode::kUnavailable,
                      "flatout's own binary cannot be found: " + error.message());
  }
  return readable((binary.parent_path() / "../lib/flatout" / name).lexically_normal(), binary);
}

base::Result<fs::path> find_site_dir(const fs::path& exe) {
  fs::path site;
  for (const char* name : {"_native.abi3.so", "hooks/__init__.py", "site/sitecustomize.py"}) {
    const auto file = find_companion(name, exe);
    if (!file) return base::fail(file.error().code, "hooks are off: " + file.error().message);
    site = file->parent_path();
  }
  if (site.native().contains(':')) {
    return base::fail(ErrorCode::kUnavailable,
                      "hooks are off: " + site.string() +
                          " holds ':', which PYTHONPATH cannot carry; move flatout");
  }
  return site;
}

base::Result<fs::path> find_trace_agent(const fs::path& exe) {
  return find_companion("libflatout_inject.so", exe);
}

}  // namespace flatout::launch
