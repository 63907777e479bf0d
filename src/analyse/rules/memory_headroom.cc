// memory_headroom: the device has room for a larger batch. Always information,
// and no time is at stake: full memory by itself says nothing of use, and free
// memory is no fault. A larger batch changes training.
//
// Only where the GPU is what the step waits for (busy 80 % or more), at most
// half of its memory was ever in use, and nothing says that it computes at its
// limit already: SMs busy for less than 80 % of the time (GPM), or, without
// GPM, power below 80 % of its limit (the mark from which TraceML calls power
// high). Half is the mark at which a batch of twice the size fits for certain:
// memory grows at most with the batch. SageMaker's BatchSize asks 70 %.
#include <algorithm>
#include <cstdio>

#include "analyse/rules/judgement.h"
#include "analyse/rules/rule.h"

namespace flatout::analyse {
namespace {

constexpr double kHalf = 0.5;
constexpr double kAtItsLimit = 0.8;

std::string gigabytes(double bytes) {
  char text[32];
  std::snprintf(text, sizeof text, "%.3g", bytes / 1e9);
  return text;
}

// Absent where nothing shows.
std::optional<double> how_hard(const DeviceStats& stats) {
  if (stats.activity.sm) return stats.activity.sm;
  if (stats.power_w && stats.power_limit_w.value_or(0) > 0) {
    return *stats.power_w / *stats.power_limit_w;
  }
  return std::nullopt;
}

}  // namespace

std::optional<run::Finding> judge_memory_headroom(const Analysis& analysis) {
  const DeviceStats* stats = analysis.device();
  if (stats == nullptr || !keeps_gpu_busy(analysis)) return std::nullopt;
  if (!stats->memory_used_bytes || stats->memory_total_bytes.value_or(0) <= 0) {
    return std::nullopt;
  }
  const auto total = static_cast<double>(*stats->memory_total_bytes);
  const auto used_bytes = static_cast<double>(*stats->memory_used_bytes);
  const double used = used_bytes / total;
  const std::optional<double> effort = how_hard(*stats);
  if (!(used <= kHalf) || !effort || *effort >= kAtItsLimit) return std::nullopt;
  run::Finding finding;
  finding.id = "memory_headroom";
  finding.severity = run::Severity::kInfo;
  finding.confidence = confidence_of(analysis, 1, 0);
  finding.tier = stats->activity.sm ? "gpm" : stats->tier();
  finding.summary = "at most " + gigabytes(used_bytes) + " of " + gigabytes(total) +
                    " GB of the GPU's memory were in use, and it works at " + percent(*effort) +
                    (stats->activity.sm ? " of its SMs." : " of its power limit.");
  finding.evidence = {
      {.metric = "device.memory.used_ratio",
       .value = used,
       .unit = "ratio",
       .threshold = kHalf,
       .start_s = std::nullopt,
       .end_s = std::nullopt},
      share_evidence(analysis, stats->activity.sm ? "device.gpm.sm" : "device.power_of_limit",
                     *effort, kAtItsLimit)};
  if (analysis.loader && analysis.loader->batch_size) {
    finding.evidence.push_back(
        steady_evidence(analysis, "loader.batch_size", *analysis.loader->batch_size, "count"));
  }
  add_device_busy(analysis, finding);
  return finding;
}

}  // namespace flatout::analyse
