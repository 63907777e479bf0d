// Lines for a stderr that perhaps nobody reads: a full pipe, a stopped terminal. Any thread.
#pragma once

#include <string_view>

namespace flatout::base {

// Writes `line` whole, or not at all where it would wait for a reader. Of more than PIPE_BUF bytes
// the first ones alone. False: not written.
bool write_if_ready(int fd, std::string_view line);

}  // namespace flatout::base
