// "Did you mean": the knob that a mistyped id is nearest to. Pure; any thread.
#pragma once

#include <string>
#include <string_view>

namespace flatout::apply {

// Of flatout's own knobs: the one whose short name this is, else the nearest; "" = none.
std::string nearest_knob(std::string_view name);

}  // namespace flatout::apply
