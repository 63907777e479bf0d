// cpu_contention: the step thread could run but has no core, or the cgroup's
// CPU quota stops it.
//
// Threshold: 10 % of steady time warn, 20 % critical, the marks at which the
// other rules about lost step time speak (TraceML: 10 / 20 %). Linux says the
// time exactly (schedstat), so no allowance for sampling is needed.
//
// Not raised where the loader's own workers are the contention and input_bound
// explains more: cause worker_cpu or collate, a share at least as large as the
// time lost here, no throttling, and nobody else who uses a tenth of the usable
// cores. More cores or a cheaper transform is the advice then, and that
// finding gives it. Nor where more computing workers than cores are what the
// training thread waits for: too_many_workers says that.
#include <algorithm>

#include "analyse/rules/input_cause.h"
#include "analyse/rules/judgement.h"
#include "analyse/rules/rule.h"
#include "analyse/rules/workers_load.h"

namespace flatout::analyse {
namespace {

constexpr Thresholds kCpuContentionThresholds = {.warn = 0.10, .critical = 0.20};

bool explained_by_loader(const Analysis& analysis, double run_delay) {
  const double data_wait = analysis.share(run::Phase::kDataWait);
  if (data_wait < std::max(kCpuContentionThresholds.warn, run_delay)) return false;
  if (!analysis.loader || analysis.loader->in_step_thread) return false;
  const std::string_view cause = find_input_cause(analysis).cause;
  if (cause != "worker_cpu" && cause != "collate") return false;
  return analysis.contention.other_cores.value_or(0) < kOthersMatter * analysis.cpus;
}

std::string summary_of(const Analysis& analysis, double run_delay, double throttled) {
  if (throttled >= run_delay) {
    return "the CPU quota of the container stops the program " + percent(throttled) +
           " of the time.";
  }
  std::string text =
      "the training thread could run but waits for a core " + percent(run_delay) + " of the time";
  if (analysis.cpus > 0) {
    text += ": " + std::to_string(analysis.cpus) + (analysis.cpus == 1 ? " CPU is" : " CPUs are") +
            " wanted by more threads";
  }
  return text + ".";
}

}  // namespace

std::optional<run::Finding> judge_cpu_contention(const Analysis& analysis) {
  const double run_delay = analysis.contention.run_delay.value_or(0);
  const double throttled = analysis.contention.throttled.value_or(0);
  const double share = std::min(1.0, std::max(run_delay, throttled));
  if (analysis.cut.steps.empty() || share < kCpuContentionThresholds.warn) return std::nullopt;
  if (throttled < kCpuContentionThresholds.warn && explained_by_loader(analysis, run_delay)) {
    return std::nullopt;
  }
  if (lost_to_workers(analysis)) return std::nullopt;  // too_many_workers says so
  run::Finding finding;
  finding.id = "cpu_contention";
  finding.severity = severity_of(share, kCpuContentionThresholds);
  finding.share = share;
  finding.tier = "host";
  finding.confidence = confidence_of(analysis, share, kCpuContentionThresholds.warn);
  finding.summary = summary_of(analysis, run_delay, throttled);
  const Contention& measured = analysis.contention;
  if (measured.run_delay) {
    finding.evidence.push_back(share_evidence(analysis, "process.cpu.run_delay",
                                              *measured.run_delay, kCpuContentionThresholds.warn));
  }
  if (measured.throttled) {
    finding.evidence.push_back(share_evidence(analysis, "cgroup.cpu.throttled", *measured.throttled,
                                              kCpuContentionThresholds.warn));
  }
  if (measured.run_cores) {
    finding.evidence.push_back(
        steady_evidence(analysis, "run.cpu.cores_used", *measured.run_cores, "cores"));
  }
  if (measured.other_cores) {
    finding.evidence.push_back(
        steady_evidence(analysis, "others.cpu.cores_used", *measured.other_cores, "cores"));
  }
  if (analysis.cpus > 0) {
    finding.evidence.push_back(steady_evidence(analysis, "host.cpus", analysis.cpus, "count"));
  }
  return finding;
}

}  // namespace flatout::analyse
