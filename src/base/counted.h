// "1 file", "2 files". Pure.
#pragma once

#include <string>
#include <string_view>

namespace flatout::base {

// The noun, or noun and verb, that goes with the number.
template <typename Count>
std::string counted(Count count, std::string_view one, std::string_view many) {
  return std::to_string(count).append(" ").append(count == Count{1} ? one : many);
}

}  // namespace flatout::base
