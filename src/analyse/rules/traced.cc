#include "analyse/rules/traced.h"

#include <utility>

namespace flatout::analyse {

run::Finding traced_finding(std::string id, double share, const Thresholds& thresholds,
                            const run::KernelTraceReport& trace) {
  run::Finding finding;
  finding.id = std::move(id);
  finding.severity = severity_of(share, thresholds);
  finding.share = share;
  finding.of_run = !trace.of_steps;
  finding.confidence = kTraceConfidence;
  finding.tier = "kernels";
  finding.evidence.push_back({"device.window_share", share, "ratio", thresholds.warn, {}, {}});
  add_ratio(finding, "device.busy", trace.busy);
  return finding;
}

void add_ratio(run::Finding& finding, std::string metric, double value) {
  finding.evidence.push_back({std::move(metric), value, "ratio", {}, {}, {}});
}

}  // namespace flatout::analyse
