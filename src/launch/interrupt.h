// The signal that asks a process to end as Ctrl-C does.
#pragma once

#include <sys/types.h>

#include <filesystem>

#include "launch/child.h"

namespace flatout::launch {

// SIGINT; SIGTERM where `pid` ignores SIGINT because flatout was started that way, as the
// background jobs of a shell without job control are (POSIX, sh, "Asynchronous Lists"). One
// that ignores it by its own choice, as launchers do that wait for their ranks, gets SIGINT,
// as by Ctrl-C; and so does one that cannot be looked at.
int interrupt_signal(pid_t pid, const std::filesystem::path& proc = "/proc");

// Whether a program that was so asked ended by that: by one of the two signals, or with the status
// that shells, and programs which pass a signal on, give for one.
bool ended_by_interrupt(const Exit& exit);

}  // namespace flatout::launch
