// What a script logs in one call: the numbers of a dict, written into this process's ring as they
// are found, without a line of Python. With the GIL.
#pragma once

#include <cstdint>

#include "inject/python_api.h"

namespace flatout::inject {

// Writes each item of `data` (a dict) whose key is text of 1 to wire::kMaxValueNameBytes bytes and
// whose value is a number: int, float, bool, and what has __float__ and no dimensions (numpy
// scalars, tensors of 0 dimensions). All get the same time. Gives back a new dict of the other
// items, or None where there is none; nullptr only for what is no Exception (KeyboardInterrupt in a
// __float__ of the program's). Numbers that the ring could not take are counted (lost_numbers).
PyObject* write_numbers(std::uint32_t track, std::int64_t step, PyObject* data);

// Over all calls in this process.
std::uint64_t lost_numbers();

}  // namespace flatout::inject
