// Draws by a thread other than the step thread, which hands the batches over (a
// queue, a prefetching wrapper). When the step thread waits for such a thread, and
// when it runs Python of its own, looks the same from the hooks: both is `other`.
// What can be known is whether the drawing thread ever has time to spare.
#pragma once

#include <cstdint>
#include <optional>

#include "analyse/contention.h"
#include "run/timeline.h"

namespace flatout::analyse {

// Share of `window` that the busiest other thread is inside a loader's next.
// Absent where the step thread draws itself, or nobody does.
std::optional<double> background_draw_share(const run::ProcessTrack& process,
                                            std::uint16_t step_lane, TimeWindow window);

}  // namespace flatout::analyse
