// Tells one command from another where its arguments may not be stored. Pure; any thread.
#pragma once

#include <span>
#include <string>

namespace flatout::launch {

// Four hexadecimal digits that tell one command from another where its arguments are not stored:
// 16 bits, too few to find an argument by.
std::string command_check(std::span<const std::string> argv);

}  // namespace flatout::launch
