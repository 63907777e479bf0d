// cpu_contention: the step thread could run but has no core, or the cgroup's
// CPU quota stops it.
//
// Threshold: 10 % of steady time warn, 20 % critical, the marks at which the
// other rules about lost step time speak (TraceML: 10 / 20 %). Linux says the
// time exactly (schedstat), so no allowance for sampling is needed.
//
// The cause says whose threads have the cores (core_loss.h). What other
// programs or the hypervisor take is information, since nothing inside the
// program could change it: a note on how far the figures can be trusted.
//
// On CUDA a thread that waits for a core costs what the device idles because of it: no more is
// claimed where the driver says how busy it is.
//
// Not raised where the loader's own workers are the contention and input_bound
// explains more: cause worker_cpu or collate, a share at least as large as the
// time lost here, no throttling, and nobody else who uses a tenth of the usable
// cores. More cores or a cheaper transform is the advice then, and that
// finding gives it. Nor where more computing workers than cores are what the
// training thread waits for: too_many_workers says that.
#include <algorithm>
#include <cstdio>

#include "analyse/rules/core_loss.h"
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
  const run::Cause cause = find_input_cause(analysis).cause;
  if (cause != run::Cause::kWorkerCpu && cause != run::Cause::kCollate) return false;
  return analysis.contention.other_cores_here.value_or(0) < kOthersMatter * analysis.cpus;
}

// Other findings say so, and with the remedy.
bool said_by_others(const Analysis& analysis, const CoreLoss& loss) {
  if (loss.cause != run::Cause::kOwnThreads && loss.cause != run::Cause::kNone) return false;
  return explained_by_loader(analysis, loss.share) || lost_to_workers(analysis);
}

std::string cpus_text(const Analysis& analysis) {
  return std::to_string(analysis.cpus) + (analysis.cpus == 1 ? " CPU" : " CPUs");
}

std::string one_digit(double value) {
  char text[32];
  std::snprintf(text, sizeof text, "%.1f", value);
  return text;
}

// Without a full stop.
std::string summary_of(const Analysis& analysis, const CoreLoss& loss) {
  const std::string others = one_digit(analysis.contention.other_cores_here.value_or(0));
  const std::string waits = "waits for a core " + percent(loss.share) + " of the time";
  if (loss.cause == run::Cause::kCpuQuota) {
    return "the CPU quota of the container stops the program " + percent(loss.share) +
           " of the time";
  }
  if (loss.cause == run::Cause::kHypervisor) {
    return "these are the figures of a shared machine: its hypervisor takes " +
           percent(analysis.contention.stolen.value_or(0)) + " of its CPU time for others";
  }
  if (loss.cause == run::Cause::kOtherPrograms) {
    return "these are the figures of a loaded machine: other programs use " + others + " of " +
           cpus_text(analysis) + ", and the training thread " + waits;
  }
  std::string text = "the training thread could run but " + waits;
  if (loss.cause == run::Cause::kNone) {
    if (analysis.cpus <= 0) return text;
    return text + ": " + cpus_text(analysis) + (analysis.cpus == 1 ? " is" : " are") +
           " wanted by more threads";
  }
  text += ": the run's own threads and processes want more than " + cpus_text(analysis);
  const bool others_matter =
      analysis.contention.other_cores_here.value_or(0) >= kOthersMatter * analysis.cpus;
  return text + (others_matter ? ", of which other programs use " + others : "");
}

void add_core_evidence(const Analysis& analysis, run::Finding& finding) {
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
  if (measured.stolen) {
    finding.evidence.push_back(share_evidence(analysis, "host.cpu.stolen", *measured.stolen,
                                              kCpuContentionThresholds.warn));
  }
  if (analysis.cpus > 0) {
    finding.evidence.push_back(steady_evidence(analysis, "host.cpus", analysis.cpus, "count"));
  }
  add_device_busy(analysis, finding);
}

}  // namespace

std::optional<run::Finding> judge_cpu_contention(const Analysis& analysis) {
  const std::optional<CoreLoss> loss = core_loss(analysis);
  if (!loss || said_by_others(analysis, *loss)) return std::nullopt;
  const double share = at_stake(analysis, loss->share, LostIn::kWholeStep);
  if (!loss->outside && share < kCpuContentionThresholds.warn) return std::nullopt;
  run::Finding finding;
  finding.id = "cpu_contention";
  finding.cause = loss->cause;
  finding.outside = loss->outside;
  finding.severity =
      loss->outside ? run::Severity::kInfo : severity_of(share, kCpuContentionThresholds);
  finding.share = share;
  finding.tier = "host";
  finding.confidence = confidence_of(analysis, share, kCpuContentionThresholds.warn);
  finding.summary = summary_of(analysis, *loss) + idle_words(analysis, loss->share, share) + ".";
  add_core_evidence(analysis, finding);
  return finding;
}

}  // namespace flatout::analyse
