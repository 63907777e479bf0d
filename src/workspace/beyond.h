// Which folders outside the working directory trials must not change either: the
// home folder, the data and scratch disks, and what the command's arguments name.
// An overlay costs nothing until something is written, so it is laid over all of
// them; what they hold need not be known. Why so: docs/decisions/0019.
// Any thread.
#pragma once

#include <sys/types.h>

#include <cstddef>
#include <filesystem>
#include <span>
#include <string>
#include <vector>

namespace flatout::workspace {

// Where to look; tests give others.
struct BeyondRoots {
  std::filesystem::path root = "/";  // whose folders are looked at, but for those of the system
  std::filesystem::path mountinfo = "/proc/self/mountinfo";
  uid_t uid;  // effective ones
  gid_t gid;
  BeyondRoots();
};

// Absolute, existing folders without links, sorted, none in another. Taken are
// $HOME, the folders below the root and on other file systems with a disk that
// belong to the user (root: all but the system's), and the folder that each
// argument names by an absolute path ("/a/b", "--out=/a/b"), or that it would be
// made in. Left out: the system's folders, temporary ones but for those that an
// argument names, `cwd` and what lies in it, and whatever holds or lies in one of `real`.
std::vector<std::filesystem::path> folders_beyond(const std::filesystem::path& cwd,
                                                  std::span<const std::string> env,
                                                  std::span<const std::string> command,
                                                  std::span<const std::filesystem::path> real,
                                                  const BeyondRoots& roots = {});

// Caches that a program fills with what it can get again (models, compiled kernels),
// and the temporary folders: they stay real, or each trial would fetch all of it
// anew. By their own variables, else where they lie by custom. Those that exist,
// without links, sorted.
std::vector<std::filesystem::path> caches(std::span<const std::string> env);

// The absolute paths that the arguments of a command name, as they are written there
// but without "..", at most 16; and the existing folders that these are or lie in,
// without links.
std::vector<std::filesystem::path> paths_named(std::span<const std::string> command);
std::vector<std::filesystem::path> folders_named(std::span<const std::string> command);

}  // namespace flatout::workspace
