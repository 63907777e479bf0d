// The same as begin_phase and end_phase, with a call of the Python callback that places events
// into the device's stream, if one is set: with the phase that is open from there on. What the
// callback takes is time of the phase that begins or ends.
#pragma once

#include "inject/emit.h"
#include "inject/python_api.h"

namespace flatout::inject {

void set_boundary(PyObject* callback);  // a new reference is taken

bool open_phase(run::Phase phase, std::uint32_t flags, std::uint32_t id, std::uint64_t value);
void close_phase(run::Phase phase, std::uint32_t flags, std::uint32_t id, std::uint64_t value);

}  // namespace flatout::inject
