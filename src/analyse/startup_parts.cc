#include "analyse/startup_parts.h"

#include <algorithm>

namespace flatout::analyse {

StartupParts measure_startup(const StepCut& cut, const run::LaneEvents& events,
                             std::optional<double> import_s, double startup_s) {
  StartupParts parts;
  if (import_s) parts.import_s = std::clamp(*import_s, 0.0, startup_s);
  if (cut.steps.empty()) return parts;
  const std::int64_t first_step_ns = cut.steps.front().begin_ns;
  std::int64_t begin_ns = 0;
  int depth = 0;
  for (const run::PhaseEvent& event : events) {
    if (event.t_ns > first_step_ns || (event.begin && event.t_ns == first_step_ns)) break;
    const bool counts = event.phase == run::Phase::kForward || event.phase == run::Phase::kDataWait;
    if (!counts) continue;
    if (event.begin) {
      if (depth++ == 0) begin_ns = event.t_ns;
    } else if (depth > 0 && --depth == 0) {
      parts.passes_s += static_cast<double>(event.t_ns - begin_ns) / 1e9;
    }
  }
  parts.passes_s = std::min(parts.passes_s, startup_s);
  return parts;
}

}  // namespace flatout::analyse
