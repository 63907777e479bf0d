#include "wheel/installed_program.h"

#include <dirent.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <initializer_list>

namespace flatout::wheel {
namespace {

struct Search {
  const char* version;
  char* found;
  bool any = false;    // `found` holds a program
  bool exact = false;  // it is of `version`
  // `found` is a place that this user may not look at: starting it says why it cannot be.
  bool unreadable = false;
};

// The text in `out`; false where it does not fit, so that no path is taken that was cut off.
template <typename... Words>
bool written(char (&out)[kPathBytes], const char* format, Words... words) {
  const int length = std::snprintf(out, kPathBytes, format, words...);
  return length > 0 && static_cast<std::size_t>(length) < kPathBytes;
}

// `packages` is a folder that may hold flatout/.
void look_in(const char* packages, Search& search) {
  char program[kPathBytes];
  char metadata[kPathBytes];
  if (search.exact || !written(program, "%s/flatout/_prefix/bin/flatout", packages)) return;
  if (::access(program, F_OK) != 0) {
    if (errno == EACCES && !search.any) {
      std::strcpy(search.found, program);
      search.unreadable = true;
    }
    return;
  }
  search.exact = written(metadata, "%s/flatout-%s.dist-info", packages, search.version) &&
                 ::access(metadata, F_OK) == 0;
  if (search.any && !search.exact) return;
  std::strcpy(search.found, program);
  search.any = true;
}

// Each <above>/<lib>/<name>/{site,dist}-packages.
void look_in_pythons(const char* above, const char* lib, Search& search) {
  char folder[kPathBytes];
  if (!written(folder, "%s/%s", above, lib)) return;
  DIR* open = ::opendir(folder);
  if (open == nullptr) return;
  while (const dirent* entry = ::readdir(open)) {
    if (entry->d_name[0] == '.') continue;
    for (const char* kind : {"site-packages", "dist-packages"}) {
      char packages[kPathBytes];
      if (written(packages, "%s/%s/%s", folder, entry->d_name, kind)) look_in(packages, search);
    }
  }
  ::closedir(open);
}

}  // namespace

bool find_installed_program(const char* bin, const char* version, char* found) {
  char above[kPathBytes];
  if (!written(above, "%s", bin)) return false;
  char* slash = std::strrchr(above, '/');
  if (slash == nullptr) return false;
  *slash = '\0';
  Search search{.version = version, .found = found};
  look_in(above, search);
  for (const char* lib : {"lib", "lib64"}) look_in_pythons(above, lib, search);
  for (const char* below : {"lib/python", "site-packages"}) {
    char packages[kPathBytes];
    if (written(packages, "%s/%s", above, below)) look_in(packages, search);
  }
  // <above> is flatout-VERSION.data of a wheel that was unpacked and not installed.
  char* data = std::strrchr(above, '/');
  if (data != nullptr) {
    *data = '\0';
    if (std::strncmp(data + 1, "flatout-", 8) == 0) look_in(above, search);
  }
  return search.any || search.unreadable;
}

}  // namespace flatout::wheel
