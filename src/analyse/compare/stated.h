// What a run stated of itself, flat: "loader.workers" -> "8". Values are JSON
// literals. What changes from run to run without meaning anything (pids, ids
// of objects, line numbers) is left out. Pure; any thread.
#pragma once

#include <map>
#include <string>

#include "analyse/analysis.h"
#include "run/timeline.h"

namespace flatout::analyse {

using Stated = std::map<std::string, std::string>;

// Settings seen in the program that trains: of its training loader, optimizer,
// model, precision, framework and rank; and the command.
Stated config_of(const run::Timeline& timeline, const Analysis& analysis);

// Where it ran: "machine.host", "machine.cpus", "versions.torch",
// "devices.0.name", ...
Stated environment_of(const run::Timeline& timeline, const Analysis& analysis);

// Where the program that trains built its training loader, model's optimizer,
// ...: "loader.built_at" -> "/abs/train.py:41".
Stated places_of(const run::Timeline& timeline, const Analysis& analysis);

}  // namespace flatout::analyse
