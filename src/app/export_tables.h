// The tables of an export, as CSV. Main thread.
#pragma once

#include <array>
#include <functional>
#include <string>
#include <string_view>

#include "base/result.h"
#include "run/timeline.h"

namespace flatout::app {

constexpr std::array<std::string_view, 4> kTables = {"steps", "series", "batches", "values"};

// Takes the text of a table, header first, in pieces of about a megabyte.
using TableSink = std::function<base::Result<void>(std::string_view)>;

// `table` is one of kTables. Stops at the sink's first error and gives it back.
// Columns stand in docs/commands.md; they are a contract: only appended to.
base::Result<void> write_table(std::string_view table, const run::Timeline& timeline,
                               const TableSink& sink);

}  // namespace flatout::app
