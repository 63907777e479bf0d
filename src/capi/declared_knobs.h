// Variables that the program offers as knobs: what a plan sets, and what is said of
// them. Takes the ring's lock for a record (wire/ring_lock.h), allocates nothing.
#pragma once

#include <cstdint>

namespace flatout::capi {

// The plan of this process, FLATOUT_KNOBS: "workers=4,batch=32"; null = none. Copied.
// Before the first call of declared_knob.
void set_planned_knobs(const char* text);

// As flatout_knob_int. Any thread; may change errno.
std::int64_t declared_knob(const char* name, std::int64_t value, std::int64_t least,
                           std::int64_t most);

}  // namespace flatout::capi
