// What would fail only at the end of a run, looked at before its program starts. Main thread.
#pragma once

#include <initializer_list>
#include <optional>
#include <string>

namespace flatout::cli {

struct WantedFile {
  const char* option;  // "--json"
  std::string path;    // "" = not asked for
};

// Why the first of them that cannot be written cannot, and what to do; absent where all can.
// Leaves nothing behind.
std::optional<std::string> cannot_write(std::initializer_list<WantedFile> files);

}  // namespace flatout::cli
