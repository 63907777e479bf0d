#include "analyse/rules/traced.h"

#include <algorithm>
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

const run::RooflineClassReport* roof_of(const run::KernelTraceReport& trace,
                                        std::string_view kernel_class) {
  constexpr double kLeastKnown = 0.5;
  if (!trace.roofline) return nullptr;
  const auto& classes = trace.roofline->classes;
  const auto found =
      std::ranges::find(classes, kernel_class, &run::RooflineClassReport::kernel_class);
  return found != classes.end() && found->known_share >= kLeastKnown ? &*found : nullptr;
}

void add_roof(run::Finding& finding, const run::KernelTraceReport& trace,
              std::string_view kernel_class) {
  const run::RooflineClassReport* const roof = roof_of(trace, kernel_class);
  if (roof == nullptr) return;
  const std::string of = "device.roofline." + std::string(kernel_class) + ".";
  if (roof->compute_share) add_ratio(finding, of + "compute_share", *roof->compute_share);
  if (roof->bandwidth_share) add_ratio(finding, of + "bandwidth_share", *roof->bandwidth_share);
  if (roof->odd_dims_share) add_ratio(finding, of + "odd_dims_share", *roof->odd_dims_share);
}

}  // namespace flatout::analyse
