// "Did you mean": the known name that a mistyped one is nearest to. Pure; any thread.
#pragma once

#include <span>
#include <string>
#include <string_view>

namespace flatout::base {

// The one of `known` that `name` becomes by the fewest letters put in, left out, changed or
// swapped with the next: at most one for each four letters of it, and at least one is allowed.
// Of equally near ones the first; "" where none is that near, and where `name` is known or is
// longer than names are (128 bytes).
std::string nearest_name(std::string_view name, std::span<const std::string_view> known);

}  // namespace flatout::base
