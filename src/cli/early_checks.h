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
// Leaves nothing behind. `home` is --home of a verb that makes the home before it starts anything:
// folders that hold it need not be there yet.
std::optional<std::string> cannot_write(std::initializer_list<WantedFile> files,
                                        const std::optional<std::string>& home = {});

}  // namespace flatout::cli
