// What too_many_workers and cpu_contention share. Internal to rules/.
#pragma once

#include <optional>

#include "analyse/analysis.h"

namespace flatout::analyse {

constexpr double kOthersMatter = 0.10;  // of the usable cores

// More workers than usable cores, and their fetch is mostly CPU.
bool workers_outnumber_cores(const Analysis& analysis);

// What is at stake of the time in which the training thread waits for a core because of them;
// absent where it is little, or where something else is to blame.
std::optional<double> lost_to_workers(const Analysis& analysis);

}  // namespace flatout::analyse
