// The outcome of a run as it stands in meta.json and in the catalog. Internal to
// store/.
#pragma once

#include "store/field_list.h"

namespace flatout::store {

inline constexpr auto kOutcomeFields = [](auto& outcome, auto field) {
  field("finding", outcome.finding, kNeeded);
  field("cause", outcome.cause, kNeeded);
  field("summary", outcome.summary, kNeeded);
  field("confidence", outcome.confidence, kNeeded);
  field("steps", outcome.steps);
  field("median_ms", outcome.median_ms);
  field("samples_per_s", outcome.samples_per_s);
  field("device_busy", outcome.device_busy);
  field("stopped_after", outcome.stopped_after);
};

}  // namespace flatout::store
