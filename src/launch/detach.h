// Leaving whoever started this process. Main thread, before any other.
#pragma once

namespace flatout::launch {

// Goes on in a child in a session of its own, with no descriptor but the standard ones; the process
// that was started ends at once with 0. False, in the process itself, where none could be made.
bool detach();

}  // namespace flatout::launch
