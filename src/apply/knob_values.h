// Which values a knob takes, by what is declared of it (schema/knobs.toml). Pure; any thread.
// The hooks hold their plan to the same declaration (python/flatout/hooks/knobs/values.py).
#pragma once

#include <string>
#include <string_view>

#include "run/knob_facts.h"

namespace flatout::apply {

// "its value must be a whole number from 0 to 1024"; "" where `literal`, a JSON literal, is one.
std::string wrong_value(const run::KnobValues& values, std::string_view literal);

}  // namespace flatout::apply
