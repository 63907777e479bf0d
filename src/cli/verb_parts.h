// What several verbs' options begin with. Internal to the parsing of the command line.
#pragma once

#include "cli/verb_options.h"

namespace flatout::cli {

// With its help text and --home.
CLI::App* add_verb(CLI::App& app, ParsedWords& to, const char* name, const char* text);

// --format, one of `formats`; "text" where it is not given.
void add_format(CLI::App* verb, ParsedWords& to, const std::vector<std::string>& formats);

void add_no_argv(CLI::App* verb, ParsedWords& to);
void add_capture(CLI::App* verb, std::vector<std::string>& to);

}  // namespace flatout::cli
