// What a recording can state at all. A stored run may come from anybody, and a
// ring is written by a program that may have gone astray: what is beyond these
// bounds is left out where it is read, so that whoever counts with the rest
// needs to fear no overflow. Pure.
#pragma once

#include <algorithm>
#include <cstdint>

#include "run/activity.h"
#include "run/device.h"
#include "run/event.h"
#include "run/run.h"

namespace flatout::run {

// Of CLOCK_MONOTONIC, and of lengths: 36 years to either side of 0. A difference
// of two fits, and so does the sum of a few.
constexpr bool plausible_ns(std::int64_t ns) {
  constexpr std::int64_t kMost = std::int64_t{1} << 60;
  return -kMost < ns && ns < kMost;
}

// Since 1970: until 2116. A difference of two fits.
constexpr bool plausible_wall_ns(std::int64_t ns) {
  constexpr std::int64_t kMost = std::int64_t{1} << 62;
  return -kMost < ns && ns < kMost;
}

inline bool plausible(const RunInfo& info) {
  constexpr int kMostCpus = 1 << 20;
  constexpr double kMostHz = 1e6;
  const bool rate = info.rate_hz == 0 || (info.rate_hz >= 1 / kMostHz && info.rate_hz <= kMostHz);
  return plausible_ns(info.started_ns) && plausible_wall_ns(info.started_wall_ns) && rate &&
         info.cpus >= 0 && info.cpus <= kMostCpus && info.cpu_limit >= 0 &&
         info.cpu_limit <= kMostCpus && info.memory_bytes >= 0 && info.memory_limit_bytes >= 0;
}

inline bool plausible(const Proc& proc) {
  return plausible_ns(proc.seen_ns) && plausible_ns(proc.gone_ns);
}

inline bool plausible(const PhaseEvent& event) { return plausible_ns(event.t_ns); }
inline bool plausible(const Fact& fact) { return plausible_ns(fact.t_ns); }
inline bool plausible(const NamedValue& value) { return plausible_ns(value.t_ns); }
inline bool plausible(const RunEnd& end) { return plausible_ns(end.t_ns); }

// Of a kernel trace: they end at or after their begin.
constexpr bool plausible_interval(std::int64_t begin_ns, std::int64_t end_ns) {
  return plausible_ns(begin_ns) && plausible_ns(end_ns) && begin_ns <= end_ns;
}
inline bool plausible(const DeviceActivity& activity) {
  return plausible_interval(activity.begin_ns, activity.end_ns);
}
inline bool plausible(const HostSpan& span) {
  return plausible_interval(span.begin_ns, span.end_ns);
}
inline bool plausible(const TraceWindow& window) {
  return plausible_interval(window.begin_ns, window.end_ns);
}

inline bool plausible(const DevicePhase& phase) {
  return plausible_ns(phase.t_ns) && plausible_ns(phase.duration_ns);
}

inline bool plausible(const Batch& batch) {
  return plausible_ns(batch.begin_ns) && plausible_ns(batch.end_ns) && plausible_ns(batch.cpu_ns) &&
         plausible_ns(batch.collate_ns) && plausible_ns(batch.idle_ns) &&
         plausible_ns(batch.run_delay_ns) &&
         std::ranges::all_of(batch.stages, plausible_ns, &StageTime::wall_ns);
}

inline bool plausible(const Device& device) {
  constexpr int kMostDevices = 1 << 16;
  return device.index >= 0 && device.index < kMostDevices;
}

}  // namespace flatout::run
