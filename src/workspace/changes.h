// What a trial wrote below its working directory.
#pragma once

#include <cstddef>
#include <filesystem>
#include <utility>
#include <vector>

namespace flatout::workspace {

enum class ChangeKind { kCreated, kModified, kDeleted };

struct Change {
  std::filesystem::path path;  // relative to the working directory
  ChangeKind kind = ChangeKind::kCreated;
  friend bool operator==(const Change&, const Change&) = default;
};

struct Changes {
  std::vector<Change> entries;  // the first of them, sorted by path
  std::size_t total = 0;        // of all
};

}  // namespace flatout::workspace
