// unfused_elementwise: chains of small operations run one kernel each, and each writes to memory
// what the next one reads back.
//
// Only with a kernel trace. Chains and what fusing them saves: kernels/fusible_chains.h. At stake
// is that, as a share of the kernels' time, of the part of the window in which the device computes;
// where the device is not busy for 80 % of it, something else is in the way first: the finding is
// information, and its share 0.
//
// Thresholds, share of the kernels' time that fusing saves at most: 20 % warn, 40 % critical. That
// is twice the 10 / 20 % of other findings, since it is an estimate by names, and any program that
// is not compiled has some. From 10 % on it is information. Ivanov et al., "Data Movement Is All
// You Need" (MLSys 2021), found 39 % of BERT's time in such operations, and 1.3 times the speed by
// moving less data for them.
#include "analyse/rules/rule.h"
#include "analyse/rules/traced.h"

namespace flatout::analyse {
namespace {

constexpr Thresholds kUnfusedThresholds = {.warn = 0.20, .critical = 0.40};
constexpr double kFusingWorthSaying = 0.10;
// Of the memory's bandwidth: what kernels that only copy reach of the data sheet's.
constexpr double kAtTheRoof = 0.80;

}  // namespace

std::optional<run::Finding> judge_unfused_elementwise(const Analysis& analysis) {
  const run::KernelTraceReport* trace = analysis.kernel_trace();
  if (trace == nullptr) return std::nullopt;
  const run::KernelPatternsReport& patterns = trace->patterns;
  if (patterns.fusible_share < kFusingWorthSaying) return std::nullopt;
  run::Finding finding = kernel_time_finding("unfused_elementwise", patterns.fusible_share,
                                             kUnfusedThresholds, *trace);
  if (!keeps_gpu_busy(analysis)) nothing_at_stake(finding);
  finding.summary =
      percent(patterns.chain_share) +
      " of the kernels' time is in chains of elementwise operations and reductions, " +
      std::to_string(patterns.chain_kernels) + " kernels that could be " +
      std::to_string(patterns.chains) + ".";
  add_ratio(finding, "device.kernels.chain_share", patterns.chain_share);
  add_roof(finding, *trace, "elementwise");
  const run::RooflineClassReport* const roof = roof_of(*trace, "elementwise");
  if (roof != nullptr && roof->bandwidth_share.value_or(0) >= kAtTheRoof) {
    finding.summary += " Elementwise ones reach " + percent(*roof->bandwidth_share) +
                       " of the memory's bandwidth: they are faster only by moving less.";
  }
  return finding;
}

}  // namespace flatout::analyse
