// memory_pressure: the run is short of host memory: it stalls while the kernel
// finds some, or the kernel has killed a process of it.
//
// How much memory is used says little: the page cache fills what is there, and
// gives it back. What counts is time lost, by the kernel's own account (PSI):
//   - `full` of the machine: nobody could run, so the step could not. At stake
//     in full;
//   - `some` of the run's cgroup: somebody waited. At stake is no more than the
//     step thread stood in uninterruptible sleep, where that is known; where it
//     is not, all of it, with less confidence. Of a whole machine `some` may be
//     anybody's, and does not count.
// On CUDA no more is claimed than the device idles, where the driver says so.
//
// Thresholds: 10 % warn, 20 % critical, as for the other shares of lost step
// time (TraceML: 10 / 20 %). A process killed for want of memory is a warning
// without a share.
#include <algorithm>
#include <cmath>

#include "analyse/rules/judgement.h"
#include "analyse/rules/rule.h"

namespace flatout::analyse {
namespace {

constexpr Thresholds kMemoryPressureThresholds = {.warn = 0.10, .critical = 0.20};
constexpr double kGuess = 0.6;

struct Loss {
  double share = 0;
  double certainty = 1;
};

Loss lost_time(const Analysis& analysis) {
  const HostMemory& memory = analysis.host_memory;
  Loss loss = {memory.pressure_full.value_or(0), 1};
  if (!memory.of_cgroup) return loss;
  const std::optional<double>& asleep = analysis.contention.disk_wait;
  const double some = memory.pressure_some.value_or(0);
  const double share = asleep ? std::min(some, *asleep) : some;
  if (share > loss.share) loss = {share, asleep ? 1 : kGuess};
  return loss;
}

std::string summary_of(const Analysis& analysis, const Loss& loss, double share, long kills) {
  std::string text;
  if (share >= kMemoryPressureThresholds.warn) {
    text = "the program stands still " + percent(loss.share) +
           " of the time because host memory "
           "is short" +
           idle_words(analysis, loss.share, share);
  }
  if (kills > 0) {
    text += text.empty() ? "" : ", and ";
    text += "the kernel killed " + std::to_string(kills) +
            (kills == 1 ? " process" : " processes") + " of this container for want of memory";
  }
  return text + ".";
}

void add_evidence(const Analysis& analysis, run::Finding& finding) {
  const HostMemory& memory = analysis.host_memory;
  const auto add = [&](const char* metric, const std::optional<double>& value, const char* unit,
                       std::optional<double> threshold = std::nullopt) {
    if (!value) return;
    finding.evidence.push_back(steady_evidence(analysis, metric, *value, unit));
    finding.evidence.back().threshold = threshold;
  };
  add(memory.of_cgroup ? "cgroup.pressure.memory.some" : "host.pressure.memory.some",
      memory.pressure_some, "ratio", kMemoryPressureThresholds.warn);
  add("host.pressure.memory.full", memory.pressure_full, "ratio", kMemoryPressureThresholds.warn);
  add("process.io.disk_wait", analysis.contention.disk_wait, "ratio");
  add("host.swap.in", memory.swap_in_bytes_per_s, "bytes_per_s");
  add("host.swap.out", memory.swap_out_bytes_per_s, "bytes_per_s");
  add("host.major_faults", memory.major_faults_per_s, "per_s");
  add("host.memory_used_ratio", analysis.contention.memory_used_ratio, "ratio");
  add("cgroup.memory.oom_kills", memory.oom_kills, "count", 1);
}

}  // namespace

std::optional<run::Finding> judge_memory_pressure(const Analysis& analysis) {
  const Loss loss = lost_time(analysis);
  const double counted = std::min(1e6, analysis.host_memory.oom_kills.value_or(0));
  const long kills = std::lround(std::isfinite(counted) ? counted : 0);
  const double share = at_stake(analysis, std::min(1.0, loss.share), LostIn::kWholeStep);
  const bool slow = share >= kMemoryPressureThresholds.warn;
  if (!slow && kills < 1) return std::nullopt;
  run::Finding finding;
  finding.id = "memory_pressure";
  finding.severity = slow ? severity_of(share, kMemoryPressureThresholds) : run::Severity::kWarn;
  finding.share = slow ? share : 0;
  finding.confidence =
      slow ? loss.certainty * confidence_of(analysis, share, kMemoryPressureThresholds.warn)
           : confidence_of(analysis, 1, 0);
  finding.tier = "host";
  finding.summary = summary_of(analysis, loss, share, kills);
  add_evidence(analysis, finding);
  add_device_busy(analysis, finding);
  return finding;
}

}  // namespace flatout::analyse
