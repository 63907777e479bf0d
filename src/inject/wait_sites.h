// Which call of the program waits for its device: each place in its code that does has a number,
// which the spans of its waits carry, and is said once, as a fact "wait_site". So a wait costs a
// look at the caller's frames, some tenths of a microsecond, and keeps no frame.
//
// A place is the innermost frame of the program's own code with the instruction that it is at, and
// the library's frame that called where there is one between. Code objects that were met are kept,
// so that their addresses stay theirs.
#pragma once

#include <cstdint>

#include "inject/python_api.h"
#include "inject/span.h"

namespace flatout::inject {

// New references are taken.
struct WaitSiteNeeds {
  PyObject* is_own;  // code, frame -> whether it is the program's own code, no library's
  PyObject* say;  // number, function, own frame or None, innermost frame -> None; writes the fact
};
void set_wait_sites(const WaitSiteNeeds& needs);

// Of the call of `span` that is being made; no exception stands. 0: not known, or no room for
// another place. The interpreter is held.
std::uint32_t wait_site(const Span* span);

}  // namespace flatout::inject
