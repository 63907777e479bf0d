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

run::Finding kernel_time_finding(std::string id, double of_kernels, const Thresholds& thresholds,
                                 const run::KernelTraceReport& trace) {
  run::Finding finding = traced_finding(std::move(id), of_kernels, thresholds, trace);
  finding.share = of_kernels * trace.compute;
  finding.evidence.front().metric = "device.kernels.share";
  return finding;
}

void nothing_at_stake(run::Finding& finding) {
  finding.severity = run::Severity::kInfo;
  finding.share = 0;
}

void add_ratio(run::Finding& finding, std::string metric, double value) {
  finding.evidence.push_back({std::move(metric), value, "ratio", {}, {}, {}});
}

}  // namespace flatout::analyse
