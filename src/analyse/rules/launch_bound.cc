// launch_bound: the device runs the kernels faster than the host launches them.
//
// At stake: the host is in forward, backward and optimizer, where it launches, for a share of the
// step; of that the device worked for its whole busy share at most, and idled for the rest:
//
//   share = forward + backward + optimizer - busy
//
// A lower bound, since the device may have been busy in other phases, too. What it idles in those
// has causes of its own. Only where the driver says how busy the device is: polled events count the
// gap between two kernels as work. A thread that waits for a core launches nothing, too: where
// other programs take it, cpu_contention says so beside this.
//
// With a kernel trace the share is its device idle account's: of the device's window, what it idled
// because the launch came late and no other cause was there; of a run without what it idled while
// the training thread was in none of its phases. small_kernels where most kernels take
// less than a launch, else host_overhead.
//
// Thresholds, share of steady step time: 20 % warn, 40 % critical, as for host_bound, the other
// finding about a host that is too slow.
#include <algorithm>

#include "analyse/rules/judgement.h"
#include "analyse/rules/rule.h"
#include "analyse/rules/traced.h"

namespace flatout::analyse {
namespace {

constexpr Thresholds kLaunchBoundThresholds = {.warn = 0.20, .critical = 0.40};
constexpr double kMostKernels = 0.5;
constexpr run::Phase kLaunchBoundPhases[] = {run::Phase::kForward, run::Phase::kBackward,
                                             run::Phase::kOptimizer};

std::string overhead_words(const run::KernelTraceReport& trace) {
  if (!trace.kernels.short_share || *trace.kernels.short_share < kMostKernels) {
    return "because the host takes longer to launch its kernels than they take.";
  }
  return percent(*trace.kernels.short_share) + " of its " + std::to_string(trace.kernels.count) +
         " kernels take less than 10 us.";
}

// Of a run the hooks tell which part of it is the loop's own code: host_bound.
double launch_share(const Analysis& analysis, const run::KernelTraceReport& trace) {
  const double share = (*trace.idle_account)[run::IdleCause::kLaunch];
  const bool told_apart = trace.of_steps && analysis.compute_seen();
  return told_apart ? share - trace.launch_outside_phases.value_or(0) : share;
}

std::optional<run::Finding> launch_bound_by_trace(const Analysis& analysis,
                                                  const run::KernelTraceReport& trace) {
  const double share = launch_share(analysis, trace);
  if (share < kLaunchBoundThresholds.warn) return std::nullopt;
  run::Finding finding = traced_finding("launch_bound", share, kLaunchBoundThresholds, trace);
  const bool small = trace.kernels.short_share.value_or(0) >= kMostKernels;
  finding.cause = small ? run::Cause::kSmallKernels : run::Cause::kHostOverhead;
  finding.summary = "the GPU idles " + percent(share) +
                    " of the time until the host launches its next kernel" + (small ? ": " : ", ") +
                    overhead_words(trace);
  if (trace.kernels.short_share) {
    add_ratio(finding, "device.kernels.short_share", *trace.kernels.short_share);
  }
  if (trace.queue) {
    add_ratio(finding, "device.queue.empty_share", trace.queue->empty_share);
    finding.summary +=
        " Its queue is empty for " + percent(trace.queue->empty_share) + " of the time.";
  }
  if (trace.launch_in_python) {
    add_ratio(finding, "device.idle.launch_in_python", *trace.launch_in_python);
  }
  return finding;
}

}  // namespace

std::optional<run::Finding> judge_launch_bound(const Analysis& analysis) {
  if (const run::KernelTraceReport* trace = analysis.kernel_trace()) {
    return trace->idle_account ? launch_bound_by_trace(analysis, *trace) : std::nullopt;
  }
  const std::optional<DeviceBusy> busy = analysis.device_busy();
  if (!busy || busy->tier == "events") return std::nullopt;
  const double launching = analysis.compute_share();
  const double share = launching - busy->share;
  if (share < kLaunchBoundThresholds.warn) return std::nullopt;
  run::Finding finding;
  finding.id = "launch_bound";
  finding.severity = severity_of(share, kLaunchBoundThresholds);
  finding.share = share;
  const double lowest = share_interval(analysis, kLaunchBoundPhases).lo - busy->share;
  finding.confidence =
      confidence_of(analysis, std::min(share, lowest), kLaunchBoundThresholds.warn);
  finding.tier = busy->tier;
  finding.summary = "the host takes " + percent(launching) +
                    " of each step to launch forward, backward and optimizer; meanwhile the GPU " +
                    "idles for at least " + percent(share) +
                    " of the step, because its kernels are too small.";
  finding.evidence = {
      steady_evidence(analysis, "steps.phases.compute", launching, "ratio"),
      share_evidence(analysis, "device.idle_while_launching", share, kLaunchBoundThresholds.warn)};
  add_device_busy(analysis, finding);
  return finding;
}

}  // namespace flatout::analyse
