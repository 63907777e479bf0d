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
#include <cmath>
#include <cstdio>

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
constexpr double kAllOfIt = 0.995;

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

// "37 ms", "4.1 ms", "40 us".
std::string wait_time_text(double ms) {
  char text[32];
  if (ms >= 1) {
    std::snprintf(text, sizeof text, ms < 10 ? "%.1f ms" : "%.0f ms", ms);
  } else {
    std::snprintf(text, sizeof text, "%.0f us", ms * 1000);
  }
  return text;
}

// Of a mean: "1 call", "2.5 calls", "48 calls".
std::string calls_text(double calls) {
  const double tenths = calls < 10 ? std::round(calls * 10) : std::round(calls) * 10;
  const auto whole = static_cast<long long>(tenths) / 10;
  const auto rest = static_cast<long long>(tenths) % 10;
  std::string text = std::to_string(whole);
  if (rest != 0) text += "." + std::to_string(rest);
  return text + (tenths == 10 ? " call" : " calls");
}

// "item() at train.py:57 (4.1 ms a step in 2 calls)", or "(200 calls, 4.1 ms each)" without steps.
// `steps`: in the time that the wait is of.
std::string words_of_wait(const run::WaitReport& wait, double steps) {
  const auto count = static_cast<double>(wait.count);
  const std::string calls = wait.count == 1 ? " call" : " calls";
  const bool by_step = steps >= 1 && count / steps >= 0.5;
  const std::string words =
      by_step ? wait_time_text(wait.time_ms / steps) + " a step in " + calls_text(count / steps)
              : std::to_string(wait.count) + calls + ", " + wait_time_text(wait.time_ms / count) +
                    (wait.count == 1 ? "" : " each");
  return run::wait_text(wait) + " (" + words + ")";
}

std::string part_words(double part) {
  return (part > kAllOfIt ? "all" : percent(part)) + " of that";
}

double mean_step_ns(const Analysis& analysis) {
  const auto count = static_cast<double>(analysis.steady().size());
  return count > 0 ? static_cast<double>(analysis.steady_own_ns) / count : 0;
}

void name_slowest(const Analysis& analysis, const run::KernelTraceReport& trace, double share,
                  run::Finding& finding) {
  const run::WaitReport* slowest = run::largest_wait(trace.waits);
  if (slowest == nullptr) return;
  const double lost = slowest->idle_ms.value_or(0) / trace.window_ms;
  if (lost < kLeastNamedShare) return;
  const double step_ns = mean_step_ns(analysis);
  finding.at = slowest->at;
  finding.summary += ": " + part_words(lost / share) + " after " +
                     words_of_wait(*slowest, step_ns > 0 ? trace.window_ms * 1e6 / step_ns : 0);
  add_ratio(finding, "device.waits.slowest_share", lost);
}

void name_slowest(const Analysis& analysis, run::Finding& finding) {
  const run::WaitReport* slowest = run::largest_wait(analysis.waits);
  if (slowest == nullptr || analysis.steady_own_ns <= 0) return;
  const double waited = slowest->time_ms * 1e6 / static_cast<double>(analysis.steady_own_ns);
  if (waited < kLeastNamedShare) return;
  finding.at = slowest->at;
  finding.summary += "; it waits most in " +
                     words_of_wait(*slowest, static_cast<double>(analysis.steady().size()));
  finding.evidence.push_back(
      steady_evidence(analysis, "steps.waits.slowest_share", waited, "ratio"));
}

// The account has what a wait cost, its lead included.
std::optional<run::Finding> sync_bound_by_trace(const Analysis& analysis,
                                                const run::KernelTraceReport& trace) {
  if (!trace.idle_account) return std::nullopt;
  const double share = (*trace.idle_account)[run::IdleCause::kSync];
  if (share < kSyncBoundThresholds.warn) return std::nullopt;
  run::Finding finding = traced_finding("sync_bound", share, kSyncBoundThresholds, trace);
  finding.summary = "the GPU idles " + percent(share) +
                    " of the time because the host waited for it and then had nothing launched";
  name_slowest(analysis, trace, share, finding);
  finding.summary += ".";
  return finding;
}

}  // namespace

std::optional<run::Finding> judge_sync_bound(const Analysis& analysis) {
  if (const run::KernelTraceReport* trace = analysis.kernel_trace()) {
    return sync_bound_by_trace(analysis, *trace);
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
  name_slowest(analysis, finding);
  finding.summary += ".";
  finding.evidence = {
      share_evidence(analysis, "steps.phases.sync", sync, kSyncBoundThresholds.warn),
      share_evidence(analysis, "device.idle_after_sync", share, kSyncBoundThresholds.warn)};
  add_device_busy(analysis, finding);
  return finding;
}

}  // namespace flatout::analyse
