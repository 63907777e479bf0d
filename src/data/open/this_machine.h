// What this process may use of the machine now: affinity, cgroup, and what its launcher told it.
#pragma once

#include "data/tune/machine.h"

namespace flatout::data {

// Reads once; never fails, what cannot be read binds nothing. Any thread.
tune::Machine this_machine();

}  // namespace flatout::data
