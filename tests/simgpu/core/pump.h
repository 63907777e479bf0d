// The one thread of the simulator: it resolves queues while the program does something else, and
// runs host functions when their time comes. Started at the first collective or host function; not
// before.
#pragma once

#include <functional>
#include <memory>

#include "core/event.h"

namespace simgpu {

// With the process's lock held.
void start_pump();

// `function` runs at `at`; then `done` is known, and later items of the stream go on.
void run_at(Nanoseconds at, std::function<void()> function, std::shared_ptr<Mark> done);

}  // namespace simgpu
