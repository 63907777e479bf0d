// Why a device idled, by steps or parts of the time. Pure.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "analyse/kernels/idle_pieces.h"
#include "serve/steps/step_table.h"

namespace flatout::serve {

struct IdleBucket {
  std::optional<std::size_t> first_step, last_step;  // absent: a part of the time
  analyse::TimeWindow window;
  std::int64_t known_ns = 0;  // of the window, what was traced; 0 = nothing is known
  std::array<std::int64_t, run::kIdleCauses> idle_ns{};
};

// At most `most` of them, within [from, to]: whole steps where there are any, else even parts.
std::vector<IdleBucket> idle_buckets(const analyse::DeviceIdle& idle,
                                     std::span<const StepRow> steps, analyse::TimeWindow asked,
                                     std::size_t most);

}  // namespace flatout::serve
