// How reports look where they go to. Main thread.
#pragma once

#include "report/style.h"

namespace flatout::cli {

// A page for `fd`: as wide as its terminal, with colours as --color says.
report::Style report_style(int fd);
// Rows of a table for `fd`: where it is no terminal they are not cut to 80 columns.
report::Style report_table_style(int fd);

}  // namespace flatout::cli
