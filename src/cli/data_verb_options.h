// The verbs of the loading engine, as verb_options.h has the others.
#pragma once

#include "cli/verb_options.h"

namespace flatout::cli {

void add_bench(CLI::App& app, ParsedWords& to);
void add_pack(CLI::App& app, ParsedWords& to);

}  // namespace flatout::cli
