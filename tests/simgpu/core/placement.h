// Puts one operation onto the timeline of its device.
#pragma once

#include "core/stream.h"

namespace simgpu {

// With the process's lock held. `ready`: the end of what it comes after. Writes the truth and tells
// the observer.
PlacedOperation place(const Operation& what, const Stream& stream, const Place& place,
                      Nanoseconds ready);

// Likewise for an operation whose end is known from elsewhere (a collective).
PlacedOperation place_between(const Operation& what, const Stream& stream, const Place& place,
                              Nanoseconds start, Nanoseconds end);

}  // namespace simgpu
