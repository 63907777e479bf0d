// The verbs that make trials, and those that launchers and programs start, as verb_options.h has
// the others.
#pragma once

#include "cli/verb_options.h"

namespace flatout::cli {

void add_tune(CLI::App& app, ParsedWords& to);
void add_accuracy(CLI::App& app, ParsedWords& to);
void add_search(CLI::App& app, ParsedWords& to);

}  // namespace flatout::cli
