// copy_bound: the step waits for data on its way to the device.
//
// Thresholds, share of steady step time in `h2d`: 10 % warn, 20 % critical, as
// TraceML (diagnostics policy: H2D share 10 / 20 %). The phase counts the copy
// once the device has reached it, so what the host waits for earlier work is
// not in it. Where kernels of another stream run meanwhile, no more is lost than
// the device idles.
//
// Causes, each from a fact and not from a rate:
//   pageable_memory  a place that copies does so from memory that is not pinned:
//                    the driver stages it, and the call blocks whatever
//                    non_blocking says (CUDA C programming guide; Nsight's rule);
//   pcie_degraded    the link never reached the generation or the width that
//                    device and slot can do together. Links fall back while
//                    idle, so the best reading counts.
// A pageable copy is named first: it is a change of the program, and it blocks
// on a good link, too. Both stand in the evidence.
#include <algorithm>

#include "analyse/rules/judgement.h"
#include "analyse/rules/rule.h"
#include "analyse/rules/traced.h"

namespace flatout::analyse {
namespace {

constexpr Thresholds kCopyBoundThresholds = {.warn = 0.10, .critical = 0.20};
constexpr run::Phase kCopyBoundPhases[] = {run::Phase::kH2d};

struct Link {
  int generation = 0, width = 0;
  int generation_max = 0, width_max = 0;

  // Bandwidth doubles with each generation.
  double of_best() const {
    return static_cast<double>(width) / width_max /
           static_cast<double>(1 << (generation_max - generation));
  }
  std::string words() const {
    return "PCIe " + std::to_string(generation) + ".0 x" + std::to_string(width) + " of " +
           std::to_string(generation_max) + ".0 x" + std::to_string(width_max);
  }
};

std::optional<Link> degraded_link(const Analysis& analysis) {
  const DeviceStats* stats = analysis.device();
  if (stats == nullptr || !stats->pcie.generation || !stats->pcie.width) return std::nullopt;
  const Link link = {*stats->pcie.generation, *stats->pcie.width,
                     stats->pcie_generation_max.value_or(*stats->pcie.generation),
                     stats->pcie_width_max.value_or(*stats->pcie.width)};
  if (link.generation < 1 || link.width < 1) return std::nullopt;
  if (link.generation_max > link.generation + 8) return std::nullopt;  // no such link
  if (link.generation >= link.generation_max && link.width >= link.width_max) return std::nullopt;
  return link;
}

const run::CopyFact* largest_pageable(const Analysis& analysis) {
  const run::CopyFact* largest = nullptr;
  for (const run::CopyFact& copy : analysis.copies) {
    if (!copy.pinned && (largest == nullptr || copy.bytes > largest->bytes)) largest = &copy;
  }
  return largest;
}

constexpr double kMostlyPageable = 0.5;

// What copies add to the time in which anything runs, and what the device idled while the host was
// in calls that copy.
std::optional<run::Finding> copy_bound_by_trace(const run::KernelTraceReport& trace) {
  const double calls = trace.idle_account ? (*trace.idle_account)[run::IdleCause::kCopy] : 0;
  // Of a run those of checkpoints are checkpoint_stall's.
  const double exposed =
      std::max(0.0, trace.copy_exposed - (trace.of_steps ? trace.copies_in_checkpoint : 0));
  const double share = exposed + calls;
  if (share < kCopyBoundThresholds.warn) return std::nullopt;
  run::Finding finding = traced_finding("copy_bound", share, kCopyBoundThresholds, trace);
  finding.summary = "the GPU computes nothing for " + percent(share) +
                    " of the time because of copies to or from it";
  if (trace.copies.pageable_share.value_or(0) >= kMostlyPageable) {
    finding.cause = run::Cause::kPageableMemory;
    finding.summary +=
        ", " + percent(*trace.copies.pageable_share) + " of them from pageable memory";
    add_ratio(finding, "device.copies.pageable_share", *trace.copies.pageable_share);
  }
  finding.summary += ".";
  add_ratio(finding, "device.copy_exposed", exposed);
  return finding;
}

}  // namespace

std::optional<run::Finding> judge_copy_bound(const Analysis& analysis) {
  if (const run::KernelTraceReport* trace = analysis.kernel_trace()) {
    return copy_bound_by_trace(*trace);
  }
  const double h2d = analysis.share(run::Phase::kH2d);
  const double share = at_stake(analysis, h2d);
  if (!analysis.cuda || share < kCopyBoundThresholds.warn) return std::nullopt;
  const std::optional<Link> link = degraded_link(analysis);
  const run::CopyFact* pageable = largest_pageable(analysis);
  run::Finding finding;
  finding.id = "copy_bound";
  finding.severity = severity_of(share, kCopyBoundThresholds);
  finding.share = share;
  finding.confidence =
      confidence_of(analysis, std::min(share, share_interval(analysis, kCopyBoundPhases).lo),
                    kCopyBoundThresholds.warn);
  finding.tier = "phases";
  finding.summary = "the GPU waits " + percent(share) + " of each step for copies to it";
  finding.evidence = {share_evidence(analysis, "steps.phases.h2d", h2d, kCopyBoundThresholds.warn)};
  if (pageable != nullptr) {
    finding.cause = run::Cause::kPageableMemory;
    finding.at = pageable->at;
    finding.summary += " from memory that is not pinned";
    if (!pageable->at.empty()) finding.summary += " (" + pageable->at + ")";
    finding.evidence.push_back(
        steady_evidence(analysis, "copy.pageable_bytes", pageable->bytes, "bytes"));
  } else if (link) {
    finding.cause = run::Cause::kPcieDegraded;
    finding.summary += " over a link that is slower than it could be (" + link->words() + ")";
  }
  finding.summary += ".";
  if (link) {
    finding.detail = run::CopyDetail{.link_of_best = link->of_best()};
    finding.evidence.push_back(
        steady_evidence(analysis, "device.pcie.bandwidth_of_best", link->of_best(), "ratio"));
    finding.evidence.back().threshold = 1;
  }
  add_device_busy(analysis, finding);
  return finding;
}

}  // namespace flatout::analyse
