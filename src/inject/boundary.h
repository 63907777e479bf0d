// The same as begin_phase and end_phase, and an event of the device's clock (device_time.h), with
// the phase that is open from there on. What that takes is time of the phase that begins or ends.
#pragma once

#include "inject/emit.h"

namespace flatout::inject {

bool open_phase(run::Phase phase, std::uint32_t flags, std::uint32_t id, std::uint64_t value);
void close_phase(run::Phase phase, std::uint32_t flags, std::uint32_t id, std::uint64_t value);

}  // namespace flatout::inject
