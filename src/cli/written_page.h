// Where a page goes that a verb was asked for.
#pragma once

#include <functional>
#include <string>
#include <string_view>

#include "base/result.h"

namespace flatout::cli {

// To stdout, or to a file, which is reported. `out`: "" = stdout, but the file `own` where that is
// a terminal, which is no place to read a page; "-" = stdout always. The exit status. Main thread.
int answer_page(const std::string& page, const std::string& out, const std::string& own);

// The same for what is too large to be held: `write` hands it on piece by piece, and stops at the
// first error that it gets back. The pieces steer no terminal.
using Pieces = std::function<base::Result<void>(std::string_view)>;
using WritePieces = std::function<base::Result<void>(const Pieces& take)>;
int answer_pieces(const WritePieces& write, const std::string& out, const std::string& own);

}  // namespace flatout::cli
