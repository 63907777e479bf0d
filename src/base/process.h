// Who a process is. A pid alone may be reused; (pid, start time, boot id) may not.
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <filesystem>
#include <string>

#include "base/result.h"

namespace flatout::base {

struct ProcessId {
  pid_t pid = 0;
  std::uint64_t start_ticks = 0;  // field 22 of /proc/<pid>/stat, clock ticks after boot
  friend bool operator==(const ProcessId&, const ProcessId&) = default;
};

// kNotFound when no such process exists. `proc` is the root of a procfs.
Result<ProcessId> process_id(pid_t pid, const std::filesystem::path& proc = "/proc");

// True while exactly this process exists (a zombie does not count).
bool process_alive(const ProcessId& id, const std::filesystem::path& proc = "/proc");

// /proc/sys/kernel/random/boot_id, or "" where it cannot be read.
std::string boot_id(const std::filesystem::path& proc = "/proc");

}  // namespace flatout::base
