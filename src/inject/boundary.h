// The same as begin_phase and end_phase, and after each change a call of the
// Python callback that places events into the device's stream, if one is set.
#pragma once

#include "inject/emit.h"
#include "inject/python_api.h"

namespace flatout::inject {

void set_boundary(PyObject* callback);  // a new reference is taken

bool open_phase(run::Phase phase, std::uint32_t flags, std::uint32_t id, std::uint64_t value);
void close_phase(run::Phase phase, std::uint32_t flags, std::uint32_t id, std::uint64_t value);

}  // namespace flatout::inject
