// The signal that asks a process to end as Ctrl-C does.
#pragma once

#include <sys/types.h>

#include <filesystem>

namespace flatout::launch {

// SIGINT; SIGTERM where `pid` ignores SIGINT because flatout was started that way, as the
// background jobs of a shell without job control are (POSIX, sh, "Asynchronous Lists"). One
// that ignores it by its own choice, as launchers do that wait for their ranks, gets SIGINT,
// as by Ctrl-C; and so does one that cannot be looked at.
int interrupt_signal(pid_t pid, const std::filesystem::path& proc = "/proc");

}  // namespace flatout::launch
