// How reports look where they go to. Main thread.
#pragma once

#include <string>

#include "report/style.h"

namespace flatout::cli {

// A page for `fd`: as wide as its terminal, with colours as --color says; in ASCII where it is
// none.
report::Style report_style(int fd);
// Rows of a table for `fd`: where it is no terminal they are not cut to 80 columns.
report::Style report_table_style(int fd);

// Of a verb with --out: "" and "-" are stdout. A file gets no colours, and 80 columns.
bool is_file(const std::string& out);
report::Style report_style_of(const std::string& out);
report::Style report_table_style_of(const std::string& out);

}  // namespace flatout::cli
