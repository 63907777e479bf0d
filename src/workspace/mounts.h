// File systems that are mounted below a folder. Any thread.
#pragma once

#include <filesystem>
#include <vector>

namespace flatout::workspace {

// Absolute paths strictly below `dir`, which is absolute and holds no links;
// parents before what lies in them, each once. What lies hidden under another
// mount is left out. `mountinfo` is a file as in proc(5).
std::vector<std::filesystem::path> mounts_below(
    const std::filesystem::path& dir,
    const std::filesystem::path& mountinfo = "/proc/self/mountinfo");

// `path` relative to `dir`, "" where it is not strictly below it. By the names
// alone: both are absolute and without "..".
std::filesystem::path relative_below(const std::filesystem::path& path,
                                     const std::filesystem::path& dir);
// The same question of `dir` itself, too.
bool in_or_same(const std::filesystem::path& path, const std::filesystem::path& dir);

}  // namespace flatout::workspace
