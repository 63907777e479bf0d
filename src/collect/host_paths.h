// Where the kernel's files lie. Everything in collect reads through these, so
// that a test gives it a captured tree.
#pragma once

#include <filesystem>

namespace flatout::collect {

struct HostPaths {
  std::filesystem::path proc = "/proc";
  // Prefix of every other absolute path: cgroup mount points, /sys/block.
  std::filesystem::path root = "/";
};

}  // namespace flatout::collect
