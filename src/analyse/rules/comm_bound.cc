// comm_bound: the device runs collectives while nothing computes.
//
// Only with a kernel trace. At stake is the exposed part alone: of the device's window, the time in
// which a collective runs and no other kernel does. What it hides behind costs nothing, and how
// much of the rest is waiting for a rank that is late, one rank's trace cannot tell. Where those of
// several were read, what is waited for the one that is late most is rank_imbalance's.
//
// Thresholds, share of the window: 10 % warn, 20 % critical (PyTorch's profiler plug-in advised
// from 10 % of communication on).
#include "analyse/rules/rule.h"
#include "analyse/rules/traced.h"

namespace flatout::analyse {
namespace {

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
  finding.cause = run::Cause::kExposedCollectives;
  finding.summary =
      "collectives run for " + percent(share) + " of the time while the GPU computes nothing";
  if (trace->comm.overlap) {
    finding.summary += "; only " + percent(*trace->comm.overlap) + " of them is hidden";
    add_ratio(finding, "device.comm.overlap", *trace->comm.overlap);
  }
  finding.summary += ".";
  return finding;
}

}  // namespace flatout::analyse
