// Whether the calling thread captures a CUDA graph. What runs meanwhile is recorded into the
// graph and not executed: an update in it is none until the graph is replayed.
#pragma once

#include <cstdint>

namespace flatout::inject {

void begin_capture();

// The updates that this thread has captured since begin_capture(); 0 where it was not called.
std::uint32_t end_capture();

bool capturing();
void capture_update();

}  // namespace flatout::inject
