// device_unused: a device that the program could see did nothing.
//
// Where the model computes on the CPU although a GPU is visible and idle: the
// steps' whole compute is at stake (10 % warn, 20 % critical, as for the other
// shares). A PyTorch built without CUDA is its own cause. Information where
// nothing is known of the build, or a PyTorch without CUDA may be one for AMD.
//
// Where some of several visible devices are idle: information. Many schedulers
// show all devices of a machine to a job that asked for one.
//
// Idle: not used by this run, its use under 1 % at the 90th percentile, and no
// process of anybody else on it.
#include <algorithm>

#include "analyse/rules/judgement.h"
#include "analyse/rules/rule.h"

namespace flatout::analyse {
namespace {

constexpr Thresholds kDeviceUnusedThresholds = {.warn = 0.10, .critical = 0.20};
constexpr double kIdleShare = 0.01;

bool is_idle(const DeviceStats& stats) {
  if (stats.used.value_or(true) || !stats.visible_index) return false;
  if (stats.others.processes.value_or(0) > 0) return false;
  return stats.utilization && stats.utilization->p90.value_or(1) <= kIdleShare;
}

// Why a PyTorch that could use the device as it stands, or could not, does not: a cause, kNone
// where it could; absent where that is not known.
std::optional<run::Cause> cause_of(const Analysis& analysis, const DeviceStats& idle) {
  if (!analysis.environment || analysis.environment->torch.empty()) return std::nullopt;
  if (!analysis.environment->cuda.empty()) return run::Cause::kNone;
  return idle.vendor == "nvidia" ? std::optional(run::Cause::kCpuBuild) : std::nullopt;
}

void blame_the_cpu(const Analysis& analysis, const DeviceStats& idle, run::Finding& finding) {
  const double share = analysis.compute_share();
  finding.summary = "the model computes on the CPU, " + percent(share) +
                    " of each step, while the " + idle.name + " is idle";
  if (const auto cause = cause_of(analysis, idle)) {
    finding.cause = *cause;
    finding.severity = severity_of(share, kDeviceUnusedThresholds);
    finding.share = share;
  }
  finding.summary +=
      finding.cause == run::Cause::kCpuBuild ? "; this PyTorch is built without CUDA." : ".";
  finding.evidence = {
      share_evidence(analysis, "steps.phases.compute", share, kDeviceUnusedThresholds.warn)};
}

}  // namespace

std::optional<run::Finding> judge_device_unused(const Analysis& analysis) {
  const auto idle = std::ranges::find_if(analysis.devices, is_idle);
  if (idle == analysis.devices.end() || analysis.cut.steps.empty()) return std::nullopt;
  const auto visible = std::ranges::count_if(
      analysis.devices, [](const DeviceStats& stats) { return stats.visible_index.has_value(); });
  const auto unused = std::ranges::count_if(analysis.devices, is_idle);
  run::Finding finding;
  finding.id = "device_unused";
  finding.severity = run::Severity::kInfo;
  finding.confidence = confidence_of(analysis, 1, 0);
  finding.tier = idle->tier();
  if (!analysis.cuda) {
    blame_the_cpu(analysis, *idle, finding);
  } else {
    finding.summary = std::to_string(unused) + " of " + std::to_string(visible) +
                      " GPUs that the program sees " + (unused == 1 ? "is" : "are") + " idle.";
  }
  finding.evidence.push_back(
      share_evidence(analysis, "device.utilization", idle->utilization->mean, kIdleShare));
  finding.evidence.push_back(
      steady_evidence(analysis, "devices.unused", static_cast<double>(unused), "count"));
  finding.evidence.push_back(
      steady_evidence(analysis, "devices.visible", static_cast<double>(visible), "count"));
  return finding;
}

}  // namespace flatout::analyse
