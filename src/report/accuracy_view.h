// What `flatout accuracy` prints. Pure; any thread.
#pragma once

#include <string>

#include "report/style.h"
#include "run/accuracy.h"

namespace flatout::report {

// Lines as `style` has them, with their line ends; wide enough for all that stands in a column
// where it says nothing else. Without a prediction it says how to get some.
std::string accuracy_to_text(const run::Accuracy& accuracy, const Style& style = {.columns = 120});
// "flatout.accuracy/1", published as schema/accuracy.schema.json.
std::string accuracy_to_json(const run::Accuracy& accuracy);

}  // namespace flatout::report
