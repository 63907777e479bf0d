// What Python writes to sys.stdout and sys.stderr is recorded beside: their methods `write` and
// `flush` get ones of ours in front, as attributes of the object, which stays the object that it
// is. Nothing of Python's is added to a call but this: no frame, no lock, no exception. With the
// GIL.
#pragma once

#include <cstdint>

#include "inject/python_api.h"

namespace flatout::inject {

// From now on, into files below `folder`, made when something is written, of FLATOUT_OUTPUT_BYTES
// in all (512K to 64G; 64M). Gives how many of the two streams are recorded by this call: not one
// that is None, takes no attribute, or is recorded already (by any copy of this code). Never an
// exception. In the first interpreter only.
int record_output(const char* folder, bool out, bool err);

// The streams are what they were, unless somebody has put another one over ours, which then
// records nothing.
void stop_output();

// Lines that could not be written.
std::uint64_t lost_output();

}  // namespace flatout::inject
