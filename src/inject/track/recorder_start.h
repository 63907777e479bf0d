// Starts the recorder of this process, which the process then does not see: it is no child that
// wait() finds, sends no SIGCHLD, and has none of its descriptors. Any thread; allocates nothing in
// between.
#pragma once

#include <cstddef>

namespace flatout::inject {

// Executes argv (argv[0] a path, nullptr at its end), which is to detach itself, and reads the line
// that it answers with into `answer`, with '\0' at its end and no line feed. At most timeout_ms.
// Returns 0, or an errno: ETIMEDOUT, EPIPE (it ended without an answer), what execve said.
int start_recorder(char* const* argv, int timeout_ms, char* answer, std::size_t capacity);

}  // namespace flatout::inject
