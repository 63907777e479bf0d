// Axes: where ticks stand and how they read. Pure.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace flatout::report::html {

// Multiples of 1, 2 or 5 times a power of ten inside [lo, hi], about `wanted`
// of them (never more than twice as many). Empty unless lo < hi, both finite.
std::vector<double> nice_ticks(double lo, double hi, int wanted);

// The same for seconds: steps that a clock has (15 s, 5 min, 2 h).
std::vector<double> time_ticks(double lo, double hi, int wanted);

// The least "nice" value at or above `value`, for the top of an axis.
double nice_ceiling(double value);

// "1:30" and the like, exact enough for ticks `step` apart.
std::string time_label(double seconds, double step);

// "log10" or "log10 UNIT": values are powers of ten.
bool is_power(std::string_view unit);

// A value of a unit of schema/metrics.toml as people read it: "86 %", "8.6 GB".
std::string quantity(double value, std::string_view unit);

}  // namespace flatout::report::html
