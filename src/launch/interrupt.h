// The signal that asks a process to end as Ctrl-C does.
#pragma once

#include <sys/types.h>

#include <filesystem>

namespace flatout::launch {

// SIGINT; SIGTERM where `pid` ignores SIGINT, as the background jobs of a shell without
// job control do (POSIX, sh, "Asynchronous Lists"). A process that cannot be looked at
// counts as one that does not.
int interrupt_signal(pid_t pid, const std::filesystem::path& proc = "/proc");

}  // namespace flatout::launch
