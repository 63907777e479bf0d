// The summary of a tracked run's numbers, by the rules that it was given. Pure.
#pragma once

#include <nlohmann/json.hpp>
#include <vector>

#include "run/tracked.h"

namespace flatout::analyse {

// By name: the last value or, where a rule says otherwise, an object of what it asks for. Of
// several parts that give the same name, the last value is the latest. What is not finite is "NaN",
// "Infinity" or "-Infinity".
nlohmann::json summary_of(const std::vector<run::TrackedSeries>& series,
                          const std::vector<run::TrackedMetric>& metrics);

}  // namespace flatout::analyse
