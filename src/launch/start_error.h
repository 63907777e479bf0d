// What exec's errno means to the user, and argv as exec wants it. Any thread.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "base/result.h"

namespace flatout::launch {

// kNotFound: there is no such command (127). kInvalid: it cannot be executed
// (126). kIo: the system lacks something (125).
base::Error start_error(const std::string& command, int err);

// Pointers into `strings`, which must outlive them, and a null at the end.
// exec does not write through them.
std::vector<char*> c_strings(std::span<const std::string> strings);

}  // namespace flatout::launch
