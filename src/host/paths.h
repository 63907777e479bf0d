// Where the kernel's files lie. Everything reads through these, so
// that a test gives it a captured tree.
#pragma once

#include <filesystem>

namespace flatout::host {

struct Paths {
  std::filesystem::path proc = "/proc";
  // Prefix of every other absolute path: cgroup mount points, /sys/block.
  std::filesystem::path root = "/";
};

}  // namespace flatout::host
