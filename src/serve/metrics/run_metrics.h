// What /metrics says of the runs that go on. Any thread.
#pragma once

#include <vector>

#include "base/result.h"
#include "serve/api.h"
#include "serve/metrics/exposition.h"

namespace flatout::serve {

// Only readings that there are, none older than 15 s; names and labels are listed in
// docs/grafana.md.
base::Result<std::vector<MetricFamily>> run_metrics(Api& api);

}  // namespace flatout::serve
