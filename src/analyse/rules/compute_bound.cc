// compute_bound: nothing holds the device up; it computes. Information, no
// complaint.
//
// Threshold: forward + backward + optimizer take 80 % of steady step time or
// more, the complement of the 20 % at which other rules call a loss critical
// (TraceML asks 90 %, and leaves 80 to 90 % without a word). On CUDA the driver
// decides, else the polled events: host time in these phases is launch time, and
// events count the gaps between kernels as work.
//
// Where the CPU is the device, a thread that waits for a core computes nothing: not raised where
// the run's own threads or its quota keep it from one; where other programs do, it says so first.
// Nor where others compute on the device: they hold it up. Kernels that communicate keep the device
// busy and compute nothing.
#include "analyse/rules/core_loss.h"
#include "analyse/rules/judgement.h"
#include "analyse/rules/rule.h"
#include "analyse/rules/traced.h"

namespace flatout::analyse {
namespace {

constexpr double kThreshold = 0.8;
constexpr double kOthersUseMost = 0.10;  // device_shared warns from there on
constexpr run::Phase kComputeBoundPhases[] = {run::Phase::kForward, run::Phase::kBackward,
                                              run::Phase::kOptimizer};

// Of what the device is busy for.
double computes_nothing(const Analysis& analysis) {
  if (const run::KernelTraceReport* trace = analysis.kernel_trace()) {
    // Of a run the copies are no part of it.
    if (trace->of_steps) return trace->comm_exposed;
    return (trace->comm_exposed + trace->copy_exposed) * (1 - trace->beyond.idle);
  }
  for (const auto& [phase, share] : analysis.device_phases) {
    if (phase == run::Phase::kComm) return share;
  }
  return 0;
}

// Busy does not mean that the device does what it could.
void add_roofs(const Analysis& analysis, run::Finding& finding) {
  const run::KernelTraceReport* trace = analysis.kernel_trace();
  if (trace == nullptr || !trace->roofline) return;
  if (trace->roofline->flops_utilization) {
    add_ratio(finding, "device.roofline.flops_utilization", *trace->roofline->flops_utilization);
  }
  for (const run::RooflineClassReport& one : trace->roofline->classes) {
    if (one.tflops) add_roof(finding, *trace, one.kernel_class);
  }
}

std::string compute_summary(const Analysis& analysis, double share,
                            const std::optional<CoreLoss>& loss) {
  const std::string computes =
      "the " + std::string(device_word(analysis)) + " computes " + percent(share) + " of each step";
  if (!loss) return computes + "; nothing holds it up.";
  const std::string who =
      loss->cause == run::Cause::kHypervisor
          ? "the machine's hypervisor gives " + percent(loss->share) + " of the CPU time to others"
          : "other programs take the CPU: the training thread waits for a core " +
                percent(loss->share) + " of the time";
  return who + ". Nothing in the program itself holds it up: " + computes +
         ", those waits included.";
}

}  // namespace

std::optional<run::Finding> judge_compute_bound(const Analysis& analysis) {
  const std::optional<DeviceBusy> busy = analysis.device_busy();
  const double share = busy ? busy->share - computes_nothing(analysis) : analysis.compute_share();
  if (share < kThreshold) return std::nullopt;
  const DeviceStats* stats = analysis.device();
  const bool known = stats != nullptr && analysis.own_device_processes_known;
  if (known && stats->others.utilization.value_or(0) >= kOthersUseMost) return std::nullopt;
  std::optional<CoreLoss> loss;
  if (!busy) loss = core_loss(analysis);
  if (loss && !loss->outside) return std::nullopt;
  const double lowest = busy ? share : share_interval(analysis, kComputeBoundPhases).lo;
  run::Finding finding;
  finding.id = "compute_bound";
  finding.severity = run::Severity::kInfo;
  finding.share = share;
  finding.confidence = confidence_of(analysis, lowest, kThreshold);
  finding.summary = compute_summary(analysis, share, loss);
  finding.tier = busy ? busy->tier : "phases";
  if (busy) {
    add_device_busy(analysis, finding);
    finding.evidence.back().threshold = kThreshold;
    add_roofs(analysis, finding);
  } else {
    finding.evidence = {share_evidence(analysis, "steps.phases.compute", share, kThreshold)};
  }
  return finding;
}

}  // namespace flatout::analyse
