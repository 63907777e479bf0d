// What is asked of an Analysis that was measured.
#include "analyse/analysis.h"

#include <algorithm>

namespace flatout::analyse {
namespace {

using run::Phase;

double share_in(std::span<const std::pair<Phase, double>> shares, Phase phase) {
  const auto found = std::ranges::find(shares, phase, &std::pair<Phase, double>::first);
  return found == shares.end() ? 0 : found->second;
}

// Above it the driver's figure speaks of others as well.
constexpr double kOthersUse = 0.05;

bool has_to_itself(const DeviceStats* stats) {
  return stats != nullptr && stats->others.utilization.value_or(0) < kOthersUse;
}

}  // namespace

TimeWindow Analysis::steady_window() const {
  const std::span<const Step> steps = steady();
  if (steps.empty()) return {};
  return {steps.front().begin_ns, steps.back().end_ns};
}

double Analysis::share(Phase phase) const {
  if (steady_own_ns <= 0) return 0;
  return static_cast<double>(steady_phases[static_cast<std::size_t>(phase)]) /
         static_cast<double>(steady_own_ns);
}

bool Analysis::compute_seen() const {
  if (only_times_known()) return false;
  return (!marks_only && !foreign_trace) || phases_seen.contains(Phase::kForward) ||
         phases_seen.contains(Phase::kBackward) || phases_seen.contains(Phase::kOptimizer);
}

double Analysis::compute_share() const {
  return share(Phase::kForward) + share(Phase::kBackward) + share(Phase::kOptimizer);
}

std::optional<double> Analysis::device_compute_share() const {
  if (device_phases.empty()) return std::nullopt;
  double sum = device_replay_share;
  for (const auto& [phase, part] : device_phases) {
    const bool computes =
        phase == Phase::kForward || phase == Phase::kBackward || phase == Phase::kOptimizer;
    if (computes) sum += part;
  }
  return std::min(1.0, sum);
}

const run::KernelTraceReport* Analysis::kernel_trace() const {
  // Of a run with steps these count, and start-up is no step.
  const auto& traces = foreign_trace || cut.steps.empty() ? kernel_traces : steady_traces;
  const auto most = std::ranges::max_element(
      traces, {}, [](const auto& entry) { return entry.second.kernels.time_ms; });
  return most == traces.end() ? nullptr : &most->second;
}

double Analysis::traced_phase(Phase phase) const {
  const auto found = traced_phases.find(phase);
  return found == traced_phases.end() ? 0 : found->second;
}

const DeviceStats* Analysis::device() const {
  return step_device ? &devices[*step_device] : nullptr;
}

std::optional<double> Analysis::device_busy_with_gaps() const {
  const DeviceStats* stats = device();
  return cuda && has_to_itself(stats) ? stats->busy_with_gaps : std::nullopt;
}

std::optional<DeviceBusy> Analysis::device_busy() const {
  if (!cuda) return std::nullopt;
  const DeviceStats* stats = device();
  if (const run::KernelTraceReport* trace = kernel_trace()) {
    // As the driver counts it, in a run: copies compute nothing.
    const double kernels = trace->compute + trace->comm_exposed;
    return DeviceBusy{trace->of_steps ? kernels : trace->busy * (1 - trace->beyond.idle),
                      "kernels"};
  }
  // GPM reports how much of the device computes, not whether any of it does.
  if (has_to_itself(stats) && stats->utilization && stats->utilization->source != "gpm") {
    return DeviceBusy{stats->utilization->mean, stats->tier()};
  }
  const std::optional<double> computes = device_compute_share();
  if (!computes) return std::nullopt;
  // Kernels that wait for a peer keep a device busy, by the driver, too.
  const DeviceBusy busy = {std::min(1.0, *computes + share_in(device_phases, Phase::kComm)),
                           "events"};
  // Events count the gaps between kernels as work: what few readings say is less, where there are
  // any.
  const std::optional<double> few = has_to_itself(stats) ? stats->busy_of_few : std::nullopt;
  return few && *few < busy.share ? DeviceBusy{*few, stats->tier()} : busy;
}

double Analysis::seconds(std::int64_t t_ns) const {
  return static_cast<double>(t_ns - start_ns) / 1e9;
}

CoreWait core_wait(const Analysis& analysis) {
  int threads = 1;
  if (analysis.environment) threads = analysis.environment->intraop_threads.value_or(1);
  return split_core_wait(analysis.contention, analysis.cpus, threads, analysis.compute_share());
}

}  // namespace flatout::analyse
