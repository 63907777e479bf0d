// comm_bound: the device runs collectives while nothing computes.
//
// Only with a kernel trace. At stake is the exposed part alone: of the device's window, the time in
// which a collective runs and no other kernel does. What it hides behind costs nothing, and how
// much of the rest is waiting for a rank that is late, one rank's trace cannot tell. Where those of
// several were read, what is waited for the one that is late most is rank_imbalance's.
//
// small_messages where those that take less than 50 us (kernels/short_collectives.h says why) make
// half of it or more: fewer and larger ones would move the same bytes in less time. Else
// exposed_collectives.
//
// Thresholds, share of the window: 10 % warn, 20 % critical (PyTorch's profiler plug-in advised
// from 10 % of communication on).
#include "analyse/rules/rule.h"
#include "analyse/rules/traced.h"

namespace flatout::analyse {
namespace {

constexpr double kMostlySmall = 0.5;
constexpr Thresholds kCommBoundThresholds = {.warn = 0.10, .critical = 0.20};

double waited_for_one(const Analysis& analysis) {
  if (!analysis.rank_traces || !analysis.rank_traces->straggler) return 0;
  return analysis.rank_traces->straggler->share;
}

}  // namespace

std::optional<run::Finding> judge_comm_bound(const Analysis& analysis) {
  const run::KernelTraceReport* trace = analysis.kernel_trace();
  if (trace == nullptr) return std::nullopt;
  const double share = trace->comm_exposed - waited_for_one(analysis);
  if (share < kCommBoundThresholds.warn) return std::nullopt;
  run::Finding finding = traced_finding("comm_bound", share, kCommBoundThresholds, *trace);
  const run::KernelPatternsReport& patterns = trace->patterns;
  const bool small = patterns.short_comm_exposed >= kMostlySmall * trace->comm_exposed;
  finding.cause = small ? run::Cause::kSmallMessages : run::Cause::kExposedCollectives;
  finding.summary =
      "collectives run for " + percent(share) + " of the time while the GPU computes nothing";
  if (small) {
    finding.summary += ": " + std::to_string(patterns.short_collectives) + " of " +
                       std::to_string(patterns.collectives) + " take less than 50 us";
    add_ratio(finding, "device.comm.short_exposed", patterns.short_comm_exposed);
  }
  if (trace->comm.overlap) {
    finding.summary += "; only " + percent(*trace->comm.overlap) + " of them is hidden";
    add_ratio(finding, "device.comm.overlap", *trace->comm.overlap);
  }
  finding.summary += ".";
  return finding;
}

}  // namespace flatout::analyse
