// The views of a CheckReport. Pure; any thread; never throw. Names of runs, values and files are
// anybody's: each view writes them so that they mean nothing to whoever reads it.
#pragma once

#include <string>

#include "report/style.h"
#include "run/check.h"

namespace flatout::report {

// One screen: what was not kept first, with its figures, then the rest.
std::string check_text(const run::CheckReport& report, const Style& style);
// schema "flatout.check/1", published as schema/check.schema.json.
std::string check_json(const run::CheckReport& report);
// A comment for a merge request: a table in GitHub's Markdown.
std::string check_markdown(const run::CheckReport& report);
// A testsuite of JUnit's, a testcase each line of the budget; XML 1.0 in UTF-8.
std::string check_junit(const run::CheckReport& report);

}  // namespace flatout::report
