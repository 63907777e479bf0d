// Whose a temporary folder is, so that a later flatout can remove what a killed one
// left behind. In the folder lie `.owner`, a link to the text
// "<pid>.<start ticks>.<boot id>.<PID namespace>:<home of the runs>", which needs no block
// of a disk, and `.lock`, which its owner holds locked as long as it lives. Any thread.
#pragma once

#include <chrono>
#include <filesystem>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "base/file.h"

namespace flatout::launch {

// Marks `dir` as this process's; the lock that it gives is to be kept as long as the
// folder. Without a lock (none where the folder takes no files) nobody sweeps it.
base::UniqueFd mark_owner(const std::filesystem::path& dir, const std::filesystem::path& home = {});

struct Abandoned {
  std::filesystem::path dir;
  std::filesystem::path home;  // "" where none was said
  std::string name;            // what follows the prefix in the folder's name
};

// Folders "<prefix>..." in `roots` that are this user's own, no links, marked, and whose
// owner is dead: nobody holds the lock, and the machine has booted since, or no such
// process is in the PID namespace that the owner and we share. A folder of another
// PID namespace of this boot is left alone: its processes cannot be seen from here.
std::vector<Abandoned> abandoned_folders(std::span<const std::filesystem::path> roots,
                                         const std::string& prefix,
                                         const std::filesystem::path& proc = "/proc");

// Folders "<prefix>..." that are this user's own and that nobody has marked within `age`: their
// owner was killed as it made them, or took them away and did not get to the end. Where a folder
// takes no mark at all, nobody can tell: none.
std::vector<std::filesystem::path> unmarked_folders(std::span<const std::filesystem::path> roots,
                                                    const std::string& prefix,
                                                    std::chrono::seconds age);

// Since when nothing was made or removed in it; absent where that cannot be asked.
std::optional<std::chrono::seconds> untouched_for(const std::filesystem::path& dir);

}  // namespace flatout::launch
