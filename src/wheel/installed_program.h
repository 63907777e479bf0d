// Where the package lies that was installed together with a command in bin/. One thread.
#pragma once

#include <linux/limits.h>

#include <cstddef>

namespace flatout::wheel {

inline constexpr std::size_t kPathBytes = PATH_MAX;

// Writes the path of the native program to `found` (kPathBytes) and returns true where one lies
// below the folder above `bin` (absolute, without a slash at its end), in one of
//   <above>/flatout                                 pip install --target, unpacked wheels
//   <above>/{lib,lib64}/*/{site,dist}-packages/flatout   environments, --user, --prefix, conda
//   <above>/lib/python/flatout                      pip install --home
//   <above>/site-packages/flatout                   build systems with a folder a wheel
// One with the metadata of `version` beside it is taken before any other: several Pythons
// may share a prefix, and its bin/flatout is of the version that was installed last.
bool find_installed_program(const char* bin, const char* version, char* found);

}  // namespace flatout::wheel
