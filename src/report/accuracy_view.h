// What `flatout accuracy` prints. Pure; any thread.
#pragma once

#include <string>

#include "run/accuracy.h"

namespace flatout::report {

// Lines with their line ends, ASCII. Without a prediction it says how to get some.
std::string accuracy_to_text(const run::Accuracy& accuracy);
// "flatout.accuracy/1", published as schema/accuracy.schema.json.
std::string accuracy_to_json(const run::Accuracy& accuracy);

}  // namespace flatout::report
