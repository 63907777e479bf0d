// A run as OTLP/JSON, for whoever has a collector: an ExportMetricsServiceRequest a line, as the
// OpenTelemetry Collector's otlpjsonfile receiver reads and its OTLP/HTTP receiver takes. Pure but
// for the sink; one thread.
#pragma once

#include <functional>
#include <string_view>

#include "base/result.h"
#include "run/timeline.h"
#include "store/run_meta.h"

namespace flatout::app {

// Readings of devices have OpenTelemetry's names, all else begins with "flatout."; the verdict and
// who the run was are attributes of the resource. No line is longer than a megabyte, which is what
// that receiver reads. Stops at the sink's first error and gives it back.
base::Result<void> write_otlp(const run::Timeline& timeline, const store::RunMeta& meta,
                              const std::function<base::Result<void>(std::string_view)>& sink);

}  // namespace flatout::app
