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
#include "run/wait_text.h"

namespace flatout::analyse {
namespace {

using run::Phase;

constexpr Thresholds kSyncBoundThresholds = {.warn = 0.10, .critical = 0.20};
constexpr Phase kSyncBoundPhases[] = {Phase::kSync};
// Of the time: below it a caller is not named, as others may cost as much.
constexpr double kLeastNamedShare = 0.02;

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

// "item() at train.py:57 (200 calls, 4.1 ms each)".
std::string words_of_wait(const run::WaitReport& wait) {
  return run::wait_text(wait) + " (" + std::to_string(wait.count) +
         (wait.count == 1 ? " call, " : " calls, ") +
         seconds_text(wait.time_ms / 1e3 / static_cast<double>(wait.count)) +
         (wait.count == 1 ? ")" : " each)");
}

void name_slowest(const run::KernelTraceReport& trace, double share, run::Finding& finding) {
  const run::WaitReport* slowest = run::named_wait(trace.waits);
  if (slowest == nullptr || slowest->count == 0) return;
  const double lost = slowest->idle_ms.value_or(0) / trace.window_ms;
  if (lost < kLeastNamedShare) return;
  finding.at = slowest->at;
  finding.summary +=
      ": " + percent(std::min(1.0, lost / share)) + " of that after " + words_of_wait(*slowest);
  add_ratio(finding, "device.waits.slowest_share", lost);
}

void name_slowest(const Analysis& analysis, double sync, run::Finding& finding) {
  const run::WaitReport* slowest = run::named_wait(analysis.waits);
  if (slowest == nullptr || slowest->count == 0 || analysis.steady_own_ns <= 0) return;
  const double waited = slowest->time_ms * 1e6 / static_cast<double>(analysis.steady_own_ns);
  if (waited < kLeastNamedShare) return;
  finding.at = slowest->at;
  finding.summary += "; " + percent(std::min(1.0, waited / sync)) + " of the waiting is in " +
                     words_of_wait(*slowest);
  finding.evidence.push_back(
      steady_evidence(analysis, "steps.waits.slowest_share", waited, "ratio"));
}

// The account has what a wait cost, its lead included.
std::optional<run::Finding> sync_bound_by_trace(const run::KernelTraceReport& trace) {
  if (!trace.idle_account) return std::nullopt;
  const double share = (*trace.idle_account)[run::IdleCause::kSync];
  if (share < kSyncBoundThresholds.warn) return std::nullopt;
  run::Finding finding = traced_finding("sync_bound", share, kSyncBoundThresholds, trace);
  finding.summary = "the GPU idles " + percent(share) +
                    " of the time because the host waited for it and then had nothing launched";
  name_slowest(trace, share, finding);
  finding.summary += ".";
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
                    percent(share) + " of each step";
  name_slowest(analysis, sync, finding);
  finding.summary += ".";
  finding.evidence = {
      share_evidence(analysis, "steps.phases.sync", sync, kSyncBoundThresholds.warn),
      share_evidence(analysis, "device.idle_after_sync", share, kSyncBoundThresholds.warn)};
  add_device_busy(analysis, finding);
  return finding;
}

}  // namespace flatout::analyse
