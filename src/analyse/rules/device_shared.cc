// device_shared: somebody else computes on the device of the steps.
//
// Without MPS or MIG, kernels of two processes take turns. At stake is no more
// than the others' use of the device, and no more than the part of the step in
// which this run computes on it. 10 % is a warning, 20 % critical, as for the
// other shares of lost step time (TraceML: 10 / 20 %). Others that only hold
// memory there are information.
//
// Not raised where the driver does not know this run's own processes (as in
// many containers): then everybody would be somebody else.
#include <algorithm>
#include <cmath>

#include "analyse/rules/judgement.h"
#include "analyse/rules/rule.h"

namespace flatout::analyse {
namespace {

constexpr Thresholds kDeviceSharedThresholds = {.warn = 0.10, .critical = 0.20};

}  // namespace

std::optional<run::Finding> judge_device_shared(const Analysis& analysis) {
  const DeviceStats* stats = analysis.device();
  if (stats == nullptr || !analysis.own_device_processes_known) return std::nullopt;
  const double processes = stats->others.processes.value_or(0);
  if (!(processes >= 1)) return std::nullopt;
  const double others = stats->others.utilization.value_or(0);
  const double own = analysis.device_compute_share().value_or(analysis.compute_share());
  const double share = std::clamp(std::min(others, own), 0.0, 1.0);
  const long count = std::lround(std::min(processes, 1e6));
  run::Finding finding;
  finding.id = "device_shared";
  finding.outside = true;
  finding.severity = severity_of(share, kDeviceSharedThresholds);
  finding.share = share;
  finding.confidence = confidence_of(analysis, share, kDeviceSharedThresholds.warn);
  finding.tier = stats->tier();
  finding.summary = std::to_string(count) +
                    (count == 1 ? " other process uses" : " other processes use") + " this GPU";
  finding.summary += stats->others.utilization ? ", " + percent(others) + " of the time." : ".";
  finding.evidence = {steady_evidence(analysis, "device.others.processes", processes, "count")};
  if (stats->others.utilization) {
    finding.evidence.push_back(share_evidence(analysis, "device.others.utilization", others,
                                              kDeviceSharedThresholds.warn));
  }
  if (stats->others.memory_used_bytes) {
    finding.evidence.push_back(
        steady_evidence(analysis, "device.others.memory_used",
                        static_cast<double>(*stats->others.memory_used_bytes), "bytes"));
  }
  return finding;
}

}  // namespace flatout::analyse
