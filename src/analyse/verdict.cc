// A program that failed has its failure for a verdict, whatever made its steps slow. Else, which
// finding is the verdict, of those that are warnings or worse:
//   1. those that something inside the program could change, the largest stake first (what others
//      take of the machine never hides them);
//   2. those that lie outside it, the largest stake first;
//   3. compute_bound; 4. unexplained.
// What other programs take of the CPUs is information at most: the finding stays in the list, and a
// note says how far the figures can be trusted.
#include "analyse/verdict.h"

#include <algorithm>

#include "analyse/facts.h"
#include "analyse/failure.h"
#include "analyse/outside_load.h"
#include "analyse/rules/input_cause.h"
#include "analyse/rules/judgement.h"

namespace flatout::analyse {
namespace {

constexpr double kQuietShare = 0.05;
constexpr double kThrottledQuiet = 0.01;
constexpr double kMemoryQuiet = 0.9;

std::string no_steps_summary(const run::Timeline& timeline, const Analysis& analysis) {
  switch (analysis.no_steps) {
    case NoSteps::kHooksOff:
      return "no step could be seen, because flatout's hooks were not in the program: " +
             timeline.info.hooks_off + ".";
    case NoSteps::kNoTorch:
      return timeline.notes.empty()
                 ? "no step was seen, because no process of the run used PyTorch where flatout's "
                   "hooks could see it."
                 : "no step was seen: " + timeline.notes.front() + ".";
    case NoSteps::kHooksMissing:
      return "no step was seen: " + first_problem(timeline) + ".";
    case NoSteps::kNoMarks:
      return "no step was seen: the program marks phases through flatout.h, but neither an "
             "optimizer phase nor flatout_step_end.";
    case NoSteps::kTrace:
      return "the trace marks no steps, and no optimizer stepped in it" +
             (analysis.kernel_trace() != nullptr
                  ? ": the GPU is busy " + percent(analysis.kernel_trace()->busy) + " of it."
                  : std::string("; nor does it hold kernels of a GPU."));
    default:
      return timeline.state == run::RunState::kRunning
                 ? "no step was seen so far: PyTorch is there, but no update of weights has ended."
                 : "no step was seen: PyTorch was there, but no update of weights ended.";
  }
}

run::Verdict no_steps(const run::Timeline& timeline, const Analysis& analysis) {
  run::Verdict verdict;
  verdict.finding = "no_steps";
  verdict.summary = no_steps_summary(timeline, analysis);
  verdict.confidence = 1;
  return verdict;
}

// A program that marks its steps, but not what fills them.
std::string unmarked_summary(const Analysis& analysis) {
  if (analysis.only_times_known()) {
    const run::KernelTraceReport* trace = analysis.kernel_trace();
    return "no single cause stands out" +
           (trace != nullptr ? ": the GPU is busy " + percent(trace->busy) + " of the time"
                             : std::string()) +
           ". The steps are known by their " +
           (analysis.repeated_activities ? "kernels" : "ranges") + " alone: nobody marked phases.";
  }
  if (analysis.foreign_trace) {
    const std::optional<DeviceBusy> busy = analysis.device_busy();
    return "no single cause stands out" +
           (busy ? ": the GPU is busy " + percent(busy->share) + " of each step" : std::string()) +
           ". The trace shows neither forward, backward nor an optimizer, so nothing more is known "
           "of " +
           percent(analysis.share(run::Phase::kOther)) + " of each step.";
  }
  return "the program marks neither forward, backward nor optimizer, so nothing is known of " +
         percent(analysis.share(run::Phase::kOther)) +
         " of each step: mark its phases (flatout_phase_begin).";
}

run::Verdict unexplained(const Analysis& analysis) {
  run::Verdict verdict;
  verdict.finding = "unexplained";
  verdict.confidence = confidence_of(analysis, 1, 0);
  verdict.tier = "phases";
  if (!analysis.compute_seen()) {
    verdict.summary = unmarked_summary(analysis);
    return verdict;
  }
  run::Phase largest = run::Phase::kOther;
  for (run::Phase phase : {run::Phase::kDataWait, run::Phase::kH2d, run::Phase::kComm,
                           run::Phase::kSync, run::Phase::kCheckpoint}) {
    if (analysis.share(phase) > analysis.share(largest)) largest = phase;
  }
  const std::optional<DeviceBusy> busy = analysis.device_busy();
  if (busy) verdict.tier = busy->tier;
  verdict.summary = "no single cause stands out: " +
                    (busy ? "the GPU is busy " + percent(busy->share) + ", " : "") +
                    "forward, backward and optimizer take " + percent(analysis.compute_share()) +
                    " of each step, and the largest other part, " +
                    std::string(run::phase_name(largest)) + ", takes " +
                    percent(analysis.share(largest)) + ".";
  return verdict;
}

run::Verdict verdict_of(const run::Finding& finding) {
  run::Verdict verdict;
  verdict.finding = finding.id;
  verdict.cause = finding.cause;
  verdict.summary = finding.summary;
  verdict.confidence = finding.confidence;
  verdict.tier = finding.tier;
  return verdict;
}

// Of findings in order of their stake.
std::span<const run::Finding>::iterator most_important(std::span<const run::Finding> findings) {
  for (const bool outside : {false, true}) {
    const auto found = std::ranges::find_if(findings, [outside](const run::Finding& finding) {
      return finding.severity != run::Severity::kInfo && finding.outside == outside;
    });
    if (found != findings.end()) return found;
  }
  return std::ranges::find(findings, "compute_bound", &run::Finding::id);
}

bool disk_is_quiet(const Analysis& analysis) {
  const auto& disk_wait =
      analysis.loader ? analysis.loader->worker_disk_wait : analysis.contention.disk_wait;
  std::optional<double> bytes = analysis.contention.disk_read_bytes_per_s;
  if (!bytes && analysis.loader) bytes = fetch_disk_bytes_per_s(*analysis.loader);
  if (!disk_wait || !bytes) return false;
  return *disk_wait < kQuietShare && *bytes < kDiskBytesPerSecondShow;
}

bool ipc_is_quiet(const Analysis& analysis) {
  if (!analysis.loader || analysis.loader->deliveries.empty()) return false;
  const double ready = ready_share(*analysis.loader).value_or(0);
  return ready * analysis.share(run::Phase::kDataWait) < kQuietShare;
}

}  // namespace

run::Verdict choose_verdict(const run::Timeline& timeline, const Analysis& analysis,
                            std::span<const run::Finding> findings) {
  if (const auto failure = failure_of(timeline, analysis)) {
    return failure_verdict(timeline, *failure);
  }
  const auto chosen = most_important(findings);
  if (analysis.cut.steps.empty() && chosen == findings.end()) return no_steps(timeline, analysis);
  run::Verdict verdict = chosen != findings.end() ? verdict_of(*chosen) : unexplained(analysis);
  verdict.confidence = std::min(verdict.confidence, most_confidence(outside_load(findings)));
  verdict.ruled_out = rule_out(timeline, analysis);
  if (analysis.account.total_s > 0) {
    const double steady_s = static_cast<double>(analysis.steady_own_ns) / 1e9;
    verdict.rests_on_share = std::min(1.0, steady_s / analysis.account.total_s);
  }
  return verdict;
}

std::vector<std::string> rule_out(const run::Timeline& timeline, const Analysis& analysis) {
  std::vector<std::string> out;
  const Contention& measured = analysis.contention;
  if (disk_is_quiet(analysis)) out.emplace_back("disk");
  if (measured.memory_used_ratio && *measured.memory_used_ratio < kMemoryQuiet) {
    out.emplace_back("memory pressure");
  }
  const bool unlimited = timeline.info.cpus > 0 && timeline.info.cpu_limit <= 0;
  if (unlimited || (measured.throttled && *measured.throttled < kThrottledQuiet)) {
    out.emplace_back("CPU limits");
  }
  if (measured.run_delay && *measured.run_delay < kQuietShare) out.emplace_back("CPU contention");
  if (ipc_is_quiet(analysis)) out.emplace_back("IPC");
  return out;
}

}  // namespace flatout::analyse
