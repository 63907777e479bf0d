// Where `run --json FILE`, `run --html FILE` and `report --out FILE` go.
#pragma once

#include <string>
#include <string_view>

#include "base/result.h"

namespace flatout::app {

// A regular or missing file is replaced whole or not at all; anything else
// (a pipe, /dev/stderr) is written to as it is.
base::Result<void> write_report_file(const std::string& path, std::string_view text);

// Before hours of work: whether write_report_file(path) will find a place. An error names what
// stands in the way and what to do, beginning with `option` ("--json"); a disk that is full now is
// none. Leaves nothing behind.
base::Result<void> can_write_report_file(const std::string& option, const std::string& path);

}  // namespace flatout::app
