// too_many_workers: more loader workers that compute than there are cores.
//
// Only for workers whose fetch is mostly CPU (waiting less than half of it):
// workers that wait for a disk or a network may well be more than the cores.
//
// A loss where the training thread then waits for a core: 10 % of steady time
// warn, 20 % critical, as cpu_contention, which steps aside. Beside others that
// use a tenth of the cores it is the part of that wait which the run would have
// without them. Not raised where the quota throttles (cpu_contention speaks),
// nor where the loader is the bottleneck anyway (input_bound). On CUDA no more
// is lost than the device idles, where the driver says so.
// Without a loss it is information from twice the cores on (SageMaker's
// Dataloader rule: workers at 70 to 200 % of the cores; PyTorch itself warns
// above 100 %): each worker costs memory and start-up time.
#include "analyse/rules/input_cause.h"
#include "analyse/rules/judgement.h"
#include "analyse/rules/rule.h"
#include "analyse/rules/workers_load.h"

namespace flatout::analyse {
namespace {

constexpr Thresholds kTooManyWorkersThresholds = {.warn = 0.10, .critical = 0.20};
constexpr int kFarTooMany = 2;  // times the cores

bool beside_others(const Analysis& analysis) {
  return analysis.contention.other_cores_here.value_or(0) >= kOthersMatter * analysis.cpus;
}

// The share of the time for which the training thread waits for a core because of its own run.
double waits_for_own(const Analysis& analysis) {
  if (!beside_others(analysis)) return analysis.contention.run_delay.value_or(0);
  const CoreWait wait = core_wait(analysis);
  return wait.told_apart ? wait.own : 0;
}

}  // namespace

bool workers_outnumber_cores(const Analysis& analysis) {
  if (!analysis.loader || analysis.cpus <= 0 || analysis.loader->in_step_thread) return false;
  const LoaderStats& loader = *analysis.loader;
  return loader.num_workers.value_or(0) > analysis.cpus &&
         loader.waiting_share().value_or(1) < kDominates;
}

std::optional<double> lost_to_workers(const Analysis& analysis) {
  const Contention& measured = analysis.contention;
  if (!workers_outnumber_cores(analysis) || !measured.run_delay) return std::nullopt;
  const double waits = waits_for_own(analysis);
  if (waits < kTooManyWorkersThresholds.warn) return std::nullopt;
  if (analysis.share(run::Phase::kDataWait) >= waits) return std::nullopt;
  if (measured.throttled.value_or(0) >= kTooManyWorkersThresholds.warn) return std::nullopt;
  const double share = at_stake(analysis, waits, LostIn::kWholeStep);
  if (share < kTooManyWorkersThresholds.warn) return std::nullopt;
  return share;
}

std::optional<run::Finding> judge_too_many_workers(const Analysis& analysis) {
  if (!workers_outnumber_cores(analysis)) return std::nullopt;
  const std::optional<double> lost = lost_to_workers(analysis);
  const int workers = analysis.loader->num_workers.value_or(0);
  if (!lost && workers < kFarTooMany * analysis.cpus) return std::nullopt;
  run::Finding finding;
  finding.id = "too_many_workers";
  finding.severity = lost ? severity_of(*lost, kTooManyWorkersThresholds) : run::Severity::kInfo;
  finding.share = lost.value_or(0);
  finding.confidence = confidence_of(analysis, lost.value_or(1), kTooManyWorkersThresholds.warn);
  finding.tier = lost ? "host" : "facts";
  finding.summary = std::to_string(workers) + " loader workers that compute share " +
                    std::to_string(analysis.cpus) + (analysis.cpus == 1 ? " CPU" : " CPUs") +
                    " with the training thread";
  if (lost) {
    const double waits = waits_for_own(analysis);
    finding.summary += ", which waits for a core " + percent(waits) + " of the time" +
                       (beside_others(analysis) ? " because of them" : "") +
                       idle_words(analysis, waits, *lost);
  }
  finding.summary += ".";
  finding.evidence = {steady_evidence(analysis, "loader.workers", workers, "count")};
  finding.evidence.back().threshold = analysis.cpus;
  if (analysis.contention.run_delay) {
    finding.evidence.push_back(share_evidence(analysis, "process.cpu.run_delay",
                                              *analysis.contention.run_delay,
                                              kTooManyWorkersThresholds.warn));
  }
  if (const auto waiting = analysis.loader->waiting_share()) {
    finding.evidence.push_back(
        share_evidence(analysis, "loader.fetch_waiting_share", *waiting, kDominates));
  }
  add_device_busy(analysis, finding);
  return finding;
}

}  // namespace flatout::analyse
