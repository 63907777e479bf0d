// Words of a comparison that both its views have. Internal to report/.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "run/comparison.h"

namespace flatout::report {

// "674 ms"; "-" where it was not measured.
std::string value_text(const run::Figure& figure, const std::optional<double>& value);
// Ratios change by points, all else by percent of what was before; "" where there is none to say.
std::string change_text(const run::Figure& figure);
// "devices.0.power_w" -> "GPU 0 power", "steps.median_ms" -> "median".
std::string figure_label(std::string_view name);
// The two train other models: neither is a faster form of the other.
bool of_other_models(const run::Contrast& contrast);
// Faster in its steps and slower by the clock, or the other way round.
bool differs_by_clock(const run::Contrast& contrast);
// "x7.2 [6.5, 7.3]: FASTER", or why no speedup is known.
std::string speedup_line(const run::Contrast& contrast);

}  // namespace flatout::report
