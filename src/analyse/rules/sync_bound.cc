// sync_bound: the host waits for the device (`.item()`, synchronize), and the
// device then waits for the host to launch more.
//
// A wait alone costs nothing: a host that has nothing to do may as well wait.
// What is lost is the device's idle time, and of that no more than the host
// stood still: without the wait the step would take as long as the longer of
// its host work (1 - sync) and its device work (busy), so
//
//   share = min(sync, 1 - busy - data_wait - h2d - checkpoint - comm)
//
// where the phases taken off have causes of their own. Not raised where nothing
// says how busy the device is.
//
// Thresholds: 10 % warn, 20 % critical, as for the other shares of lost step
// time (TraceML: 10 / 20 %).
#include <algorithm>

#include "analyse/rules/judgement.h"
#include "analyse/rules/rule.h"
#include "analyse/rules/traced.h"

namespace flatout::analyse {
namespace {

using run::Phase;

constexpr Thresholds kSyncBoundThresholds = {.warn = 0.10, .critical = 0.20};
constexpr Phase kSyncBoundPhases[] = {Phase::kSync};

double idle_of_other_causes(const Analysis& analysis) {
  double sum = 0;
  for (const Phase phase : {Phase::kDataWait, Phase::kH2d, Phase::kCheckpoint, Phase::kComm}) {
    sum += analysis.share(phase);
  }
  return sum;
}

// Where others use the device as well, what the run leaves of it need not idle: the driver tells.
double idle_share(const Analysis& analysis, const DeviceBusy& busy) {
  const double left = 1 - busy.share;
  const DeviceStats* stats = analysis.device();
  if (stats == nullptr || !stats->utilization || stats->utilization->source == "gpm") return left;
  return std::min(left, 1 - stats->utilization->mean);
}

// The account has what a wait cost, its lead included.
std::optional<run::Finding> sync_bound_by_trace(const run::KernelTraceReport& trace) {
  if (!trace.idle_account) return std::nullopt;
  const double share = (*trace.idle_account)[run::IdleCause::kSync];
  if (share < kSyncBoundThresholds.warn) return std::nullopt;
  run::Finding finding = traced_finding("sync_bound", share, kSyncBoundThresholds, trace);
  finding.summary = "the GPU idles " + percent(share) +
                    " of the time because the host waited for it and then had nothing launched.";
  return finding;
}

}  // namespace

std::optional<run::Finding> judge_sync_bound(const Analysis& analysis) {
  if (const run::KernelTraceReport* trace = analysis.kernel_trace()) {
    return sync_bound_by_trace(*trace);
  }
  const std::optional<DeviceBusy> busy = analysis.device_busy();
  if (!busy) return std::nullopt;
  const double sync = analysis.share(Phase::kSync);
  const double idle = std::max(0.0, idle_share(analysis, *busy) - idle_of_other_causes(analysis));
  const double share = std::min(sync, idle);
  if (share < kSyncBoundThresholds.warn) return std::nullopt;
  run::Finding finding;
  finding.id = "sync_bound";
  finding.severity = severity_of(share, kSyncBoundThresholds);
  finding.share = share;
  const double lowest = std::min(share, share_interval(analysis, kSyncBoundPhases).lo);
  finding.confidence = confidence_of(analysis, lowest, kSyncBoundThresholds.warn);
  finding.tier = busy->tier;
  finding.summary = "the program waits for the GPU " + percent(sync) +
                    " of each step, and the GPU then idles until it gets new work, " +
                    percent(share) + " of each step.";
  finding.evidence = {
      share_evidence(analysis, "steps.phases.sync", sync, kSyncBoundThresholds.warn),
      share_evidence(analysis, "device.idle_after_sync", share, kSyncBoundThresholds.warn)};
  add_device_busy(analysis, finding);
  return finding;
}

}  // namespace flatout::analyse
