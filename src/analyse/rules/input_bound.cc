// input_bound: the step waits in the loader's `next`.
//
// Thresholds, share of steady step time: 10 % warn, 20 % critical, as TraceML
// (diagnostics policy: input share 10 / 20 %). TensorFlow's profiler calls 20 %
// "highly" and 5 % "moderately" input-bound; 5 % would speak about healthy
// programs, whose draw takes a few per cent.
//
// On CUDA the host runs ahead of the device: it may wait for data while the
// device still has work. Then no more is lost than the device's idle time.
// Where most of the waiting is for the first batches of epochs, epoch_restart
// speaks of that part, and this rule of the rest.
#include <algorithm>

#include "analyse/rules/input_cause.h"
#include "analyse/rules/judgement.h"
#include "analyse/rules/rule.h"

namespace flatout::analyse {
namespace {

constexpr Thresholds kInputBoundThresholds = {.warn = 0.10, .critical = 0.20};
constexpr run::Phase kInputBoundPhases[] = {run::Phase::kDataWait};
constexpr double kMostly = 0.5;  // of the waiting

double restarts_share(const Analysis& analysis) {
  const auto excess = static_cast<double>(analysis.epoch_starts.excess_ns);
  const auto waited =
      static_cast<double>(analysis.steady_phases[static_cast<std::size_t>(run::Phase::kDataWait)]);
  if (analysis.steady_own_ns <= 0 || excess < kMostly * waited) return 0;
  if (!restarts_workers(analysis)) return 0;
  return excess / static_cast<double>(analysis.steady_own_ns);
}

// A trace shows how long the device idled meanwhile.
double input_share(const Analysis& analysis, double data_wait) {
  const run::KernelTraceReport* trace = analysis.kernel_trace();
  if (trace == nullptr) return at_stake(analysis, data_wait - restarts_share(analysis));
  if (!trace->of_steps) return analysis.traced_phase(run::Phase::kDataWait);
  if (!trace->idle_account) return at_stake(analysis, data_wait - restarts_share(analysis));
  return (*trace->idle_account)[run::IdleCause::kData] - restarts_share(analysis);
}

}  // namespace

std::optional<run::Finding> judge_input_bound(const Analysis& analysis) {
  const double data_wait = analysis.share(run::Phase::kDataWait);
  const double share = input_share(analysis, data_wait);
  if (share < kInputBoundThresholds.warn) return std::nullopt;
  const ConfidenceInterval interval = share_interval(analysis, kInputBoundPhases);
  const InputCause cause = find_input_cause(analysis);
  run::Finding finding;
  finding.id = "input_bound";
  finding.cause = cause.cause;
  finding.detail = input_detail(analysis, cause.cause);
  finding.severity = severity_of(share, kInputBoundThresholds);
  finding.share = share;
  const double lowest = std::min(share, interval.lo);
  finding.confidence =
      cause.certainty * confidence_of(analysis, lowest, kInputBoundThresholds.warn);
  finding.tier = analysis.kernel_trace() != nullptr ? "kernels" : "phases";
  finding.summary = "the " + std::string(device_word(analysis)) + " waits for data " +
                    percent(share) + " of each step, because " + cause.because + ".";
  finding.evidence = {
      share_evidence(analysis, "steps.phases.data_wait", data_wait, kInputBoundThresholds.warn)};
  add_device_busy(analysis, finding);
  for (run::Evidence& evidence : loader_evidence(analysis)) {
    finding.evidence.push_back(std::move(evidence));
  }
  return finding;
}

}  // namespace flatout::analyse
