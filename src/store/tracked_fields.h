// A tracked run's headline as it stands in meta.json and in the catalog. Internal to store/.
#pragma once

#include <optional>

#include "store/json_fields.h"
#include "store/run_meta.h"

namespace flatout::store {

// Cut to what a list needs: config and summary to 32 KiB each, the largest members going first.
Json to_json(const TrackedHeadline& tracked);
// Absent where it is not of that form.
std::optional<TrackedHeadline> tracked_from(const Json& json);

}  // namespace flatout::store
