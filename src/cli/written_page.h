// Where a page goes that a verb was asked for.
#pragma once

#include <string>

namespace flatout::cli {

// To stdout, or to a file, which is reported. `out`: "" = stdout, but the file `own` where that is
// a terminal, which is no place to read a page; "-" = stdout always. The exit status. Main thread.
int answer_page(const std::string& page, const std::string& out, const std::string& own);

}  // namespace flatout::cli
