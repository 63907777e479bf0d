// host_bound (python_in_loop): the step thread is outside of every span that
// PyTorch accounts for: batches made by hand, logging, metrics in Python.
//
// Thresholds, share of steady step time: 20 % warn; 40 % critical, twice that.
// TraceML warns at a residual of 10 %, but counts copies and zero_grad to its
// phases; ours are `other`, and 10 % of them is common in healthy loops.
//
// On CUDA the thread may be in `other` because it waits for the device (a
// `.item()` whose wait no hook saw). Where NVML or polled events show the device busy
// for 80 % of the time or more, the host holds nothing up; below, no more is
// claimed than the device idles.
//
// Where a thread in the background draws the batches, waiting for it is in
// `other`, too, and the cause is not named. A drawing thread without 5 % of time
// to spare never waits for a full queue: then the data is the likely reason.
#include <algorithm>

#include "analyse/rules/judgement.h"
#include "analyse/rules/rule.h"

namespace flatout::analyse {
namespace {

constexpr Thresholds kHostBoundThresholds = {.warn = 0.20, .critical = 0.40};
constexpr run::Phase kHostBoundPhases[] = {run::Phase::kOther};
constexpr double kNoTimeToSpare = 0.95;
constexpr double kHostAlone = 0.5;  // confidence at most, of a trace without a device

// Another tool's trace of the host alone: a GPU or other ranks may be what it waits for.
bool no_device_traced(const Analysis& analysis) {
  return analysis.foreign_trace && analysis.kernel_trace() == nullptr;
}

// Without a full stop.
std::string summary_of(const Analysis& analysis, double share) {
  const std::string outside =
      std::string(" takes ") + percent(share) + " of each step, outside of ";
  if (analysis.marks_only) {
    return "code of the training loop itself" + outside + "the phases that the program marks";
  }
  if (no_device_traced(analysis)) {
    return "what is neither loader, forward, backward nor optimizer takes " + percent(share) +
           " of each step; whether it computes or waits, the trace does not say";
  }
  if (!analysis.background_draw_share) {
    return "Python code of the training loop itself" + outside +
           "the loader, forward, backward and optimizer";
  }
  const std::string inside = percent(*analysis.background_draw_share) + " of the time";
  const bool busy = *analysis.background_draw_share >= kNoTimeToSpare;
  return "the training loop itself" + outside + "forward, backward and optimizer: it " +
         (busy ? "most likely waits for data, as " : "runs Python code or waits for data; ") +
         "the thread that draws its batches is in the loader " + inside;
}

// A trace shows why each gap came about: of a run, which of them the loop's own code made; of
// another tool, all are launch_bound's, but for the time of the steps before the first kernel and
// after the last one.
std::optional<double> lost_share(const Analysis& analysis, double other) {
  const run::KernelTraceReport* trace = analysis.kernel_trace();
  if (trace == nullptr) return at_stake(analysis, other);
  return trace->of_steps ? trace->launch_outside_phases
                         : std::optional(trace->beyond.outside_phases);
}

std::string idle_of_steps(const Analysis& analysis, double other, double share) {
  const run::KernelTraceReport* trace = analysis.kernel_trace();
  if (trace == nullptr || trace->of_steps) return idle_words(analysis, other, share);
  return "; before its first kernel and after its last one the GPU idles " + percent(share) +
         " of them";
}

}  // namespace

std::optional<run::Finding> judge_host_bound(const Analysis& analysis) {
  const double other = analysis.share(run::Phase::kOther);
  const std::optional<double> known = lost_share(analysis, other);
  if (!known) return std::nullopt;
  const double share = *known;
  if (!analysis.compute_seen()) return std::nullopt;
  if (share <= kHostBoundThresholds.warn || keeps_gpu_busy(analysis)) return std::nullopt;
  const ConfidenceInterval interval = share_interval(analysis, kHostBoundPhases);
  run::Finding finding;
  finding.id = "host_bound";
  // Of a program that marks its phases nothing is known outside of them.
  if (!analysis.marks_only && !analysis.background_draw_share && !no_device_traced(analysis))
    finding.cause = run::Cause::kPythonInLoop;
  finding.severity = severity_of(share, kHostBoundThresholds);
  finding.share = share;
  finding.tier = analysis.kernel_trace() != nullptr ? "kernels" : "phases";
  finding.confidence =
      confidence_of(analysis, std::min(share, interval.lo), kHostBoundThresholds.warn);
  if (no_device_traced(analysis)) finding.confidence = std::min(finding.confidence, kHostAlone);
  finding.summary = summary_of(analysis, other) + idle_of_steps(analysis, other, share) + ".";
  finding.evidence = {
      share_evidence(analysis, "steps.phases.other", other, kHostBoundThresholds.warn)};
  if (analysis.background_draw_share) {
    finding.evidence.push_back(steady_evidence(analysis, "loader.background_draw_share",
                                               *analysis.background_draw_share, "ratio"));
  }
  if (analysis.contention.step_cores) {
    finding.evidence.push_back(steady_evidence(analysis, "process.cpu.cores_used",
                                               *analysis.contention.step_cores, "cores"));
  }
  add_device_busy(analysis, finding);
  return finding;
}

}  // namespace flatout::analyse
