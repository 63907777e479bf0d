// The process's StepCounter, and --stop-after: at the close of step N the
// process sends itself SIGINT, as Ctrl-C would, and says so in its ring.
#pragma once

#include <cstdint>

namespace flatout::inject {

void stop_after(std::uint64_t steps);  // 0 = never

void step_draw(std::uint32_t loader, bool grad_enabled);
void step_forward(bool grad_enabled, bool training);
void step_backward();
void step_update();
void step_optimizer_built();  // from now on a backward is no update
void step_mark();             // the program says that a step is over

bool loader_seen();    // a draw has happened
bool steps_limited();  // stop_after() was asked for
std::uint64_t steps_closed();

}  // namespace flatout::inject
