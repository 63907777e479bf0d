// What a loader did so far, as JSON.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>

namespace flatout::data {

struct OpenLoader;

// What its threads did since it was opened, and its settings now.
nlohmann::ordered_json figures_json(OpenLoader& open);

// With what was tuned, what is kept, and what went to a device: the text of flatout_loader_stats.
std::string stats_json(OpenLoader& open);

}  // namespace flatout::data
