// Where `run --json FILE`, `run --html FILE` and `report --out FILE` go.
#pragma once

#include <string>
#include <string_view>

#include "base/result.h"

namespace flatout::app {

// A regular or missing file is replaced whole or not at all; anything else
// (a pipe, /dev/stderr) is written to as it is.
base::Result<void> write_report_file(const std::string& path, std::string_view text);

}  // namespace flatout::app
