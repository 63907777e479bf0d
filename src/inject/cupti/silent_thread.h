// A thread of the agent's own in a program that does not know of it. Any thread.
#pragma once

namespace flatout::inject::cupti {

// Nobody joins it, and it takes no signal: the program's stay its own. False where the system gives
// no thread.
bool start_silent_thread(void* (*work)(void*));

}  // namespace flatout::inject::cupti
