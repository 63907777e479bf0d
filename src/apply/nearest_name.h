// "Did you mean": the known name that a mistyped one is nearest to. Pure; any thread.
#pragma once

#include <span>
#include <string>
#include <string_view>

namespace flatout::apply {

// The one of `known` that `name` becomes by the fewest letters put in, left out, changed or
// swapped with the next: at most one for each four letters of it, and at least one is allowed.
// Of equally near ones the first; "" where none is that near, and where `name` is known or is
// longer than any name of a knob may be.
std::string nearest_name(std::string_view name, std::span<const std::string_view> known);

// Of flatout's own knobs: the one whose short name this is, else the nearest; "" = none.
std::string nearest_knob(std::string_view name);

}  // namespace flatout::apply
