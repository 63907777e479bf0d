// Ends flatout so that whoever started it sees what the program's end was.
#pragma once

#include "launch/child.h"

namespace flatout::launch {

// Exits with the same code, or dies by the same signal, without a core file of
// flatout's own beside the program's. 128 + signal where flatout cannot die by it
// (as process 1 of a container). Runs atexit handlers only for a plain exit.
[[noreturn]] void end_like(const Exit& exit);

}  // namespace flatout::launch
