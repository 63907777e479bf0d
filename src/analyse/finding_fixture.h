// For tests: the finding of a name.
#pragma once

#include <algorithm>
#include <string_view>

#include "run/report.h"

namespace flatout::analyse {

// Null where the report has none.
inline const run::Finding* finding_of(const run::Report& report, std::string_view id) {
  const auto found = std::ranges::find(report.findings, id, &run::Finding::id);
  return found == report.findings.end() ? nullptr : &*found;
}

}  // namespace flatout::analyse
