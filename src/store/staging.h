// Homes on network file systems: a log that is written and synced many times a
// second, over a link that may hang, and whose locks may mean nothing, is kept
// on this machine until its run is sealed. The run's folder then holds
// staged.json, which names host and place; only that host can read the run
// while it lasts. Any thread.
#pragma once

#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <string_view>

#include "base/result.h"
#include "store/disk.h"
#include "store/home.h"

namespace flatout::store {

constexpr std::string_view kStagedFileName = "staged.json";

// f_type of statfs(2) for a path, or absent; tests hand in their own.
using FileSystemType = std::function<std::optional<long>(const std::filesystem::path&)>;
std::optional<long> file_system_type(const std::filesystem::path& path);

// "NFS", "Lustre" ... where `path`, or its nearest parent that exists, lies on
// one; absent on a local file system. FUSE counts: what is behind it cannot be
// told, and sshfs is.
std::optional<std::string> network_file_system(const std::filesystem::path& path,
                                               const FileSystemType& type = file_system_type);

// The folder (0700, made when missing) where logs of such a home are staged:
// below /var/tmp, which outlives a logout and a reboot, else $XDG_RUNTIME_DIR.
// Absent where the home is local, or where there is no safe place.
std::optional<std::filesystem::path> staging_root(const Home& home, const Environment& environment,
                                                  const FileSystemType& type = file_system_type);
// The same with another place than /var/tmp, for tests.
std::optional<std::filesystem::path> staging_root(const Home& home, const Environment& environment,
                                                  const FileSystemType& type,
                                                  const std::filesystem::path& var_tmp);

// Where the log of a run is to be written below `root`.
std::filesystem::path staged_place(const std::filesystem::path& root, const Home& home,
                                   std::string_view id);

// Writes the run's staged.json: before the log is created.
base::Result<void> write_staged(Disk& disk, const std::filesystem::path& folder,
                                const std::filesystem::path& log);

// Where the log of the run in `folder` lies on this machine; absent when it is
// not staged, or on another machine. A staged.json that names anything but a
// place that staged_place() gives for this run is not believed.
std::optional<std::filesystem::path> staged_log(const std::filesystem::path& folder);
// One line for the user when it is staged on another machine.
std::optional<std::string> staged_elsewhere(const std::filesystem::path& folder);

// The log, its folder and then staged.json. What is not there is no error.
base::Result<void> remove_staged(Disk& disk, const std::filesystem::path& folder);

}  // namespace flatout::store
