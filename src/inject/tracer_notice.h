// What the hooks say to the agent that traces kernels (inject/cupti), a library of its own that
// CUDA has loaded, where one was asked for.
#pragma once

namespace flatout::inject {

// The steps have begun. Does nothing in a process without the agent, and does not wait.
void say_steps_to_tracer();

}  // namespace flatout::inject
