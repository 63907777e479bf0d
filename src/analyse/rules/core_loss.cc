#include "analyse/rules/core_loss.h"

#include <algorithm>

namespace flatout::analyse {
namespace {

constexpr double kWorthSaying = 0.10;  // as cpu_contention's warning

const CoreLoss& larger(const CoreLoss& a, const CoreLoss& b) { return b.share > a.share ? b : a; }

}  // namespace

std::optional<CoreLoss> core_loss(const Analysis& analysis) {
  if (analysis.cut.steps.empty()) return std::nullopt;
  const Contention& measured = analysis.contention;
  const double run_delay = std::min(1.0, measured.run_delay.value_or(0));
  const double throttled = std::min(1.0, measured.throttled.value_or(0));
  const double stolen = std::min(1.0, measured.stolen.value_or(0));
  if (std::max({run_delay, throttled, stolen}) < kWorthSaying) return std::nullopt;
  const CoreWait wait = core_wait(analysis);
  const CoreLoss inside =
      larger({wait.told_apart ? run::Cause::kOwnThreads : run::Cause::kNone, wait.own, false},
             {run::Cause::kCpuQuota, throttled, false});
  if (inside.share >= kWorthSaying) return inside;
  const CoreLoss outside = larger({run::Cause::kOtherPrograms, wait.others, true},
                                  {run::Cause::kHypervisor, stolen, true});
  // Each by itself is little: what they cost together is said of the larger one.
  CoreLoss loss = larger(outside, inside);
  loss.share = std::max({run_delay, throttled, stolen});
  return outside.share >= kWorthSaying ? outside : loss;
}

}  // namespace flatout::analyse
