#include "inject/graph_capture.h"

namespace flatout::inject {
namespace {

thread_local bool open = false;
thread_local std::uint32_t updates = 0;

}  // namespace

void begin_capture() {
  open = true;
  updates = 0;
}

std::uint32_t end_capture() {
  const std::uint32_t captured = open ? updates : 0;
  open = false;
  updates = 0;
  return captured;
}

bool capturing() { return open; }
void capture_update() { ++updates; }

}  // namespace flatout::inject
