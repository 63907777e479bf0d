#include "analyse/stragglers/device_pieces.h"

#include <algorithm>
#include <optional>
#include <utility>

#include "analyse/kernels/kernel_class.h"
#include "analyse/kernels/name_cache.h"

namespace flatout::analyse {
namespace {

using LaunchTime = std::pair<std::uint64_t, std::int64_t>;  // correlation, begin of the call

// By correlation. Of a CUDA graph or a call that launches several they are the same.
std::vector<LaunchTime> launch_times(const run::ProcessTrack& process) {
  std::vector<LaunchTime> times;
  for (const run::HostSpan& span : process.host_spans) {
    if (span.kind == run::HostSpanKind::kCall && span.correlation != 0) {
      times.emplace_back(span.correlation, span.begin_ns);
    }
  }
  if (!std::ranges::is_sorted(times)) std::ranges::sort(times);
  return times;
}

run::Phase launched_in(const run::DeviceActivity& activity, const std::vector<LaunchTime>& launches,
                       const PhaseTimeline& phases) {
  if (activity.direction == run::CopyDirection::kHostToDevice) return run::Phase::kH2d;
  const auto launch =
      std::ranges::lower_bound(launches, activity.correlation, {}, &LaunchTime::first);
  const bool known = activity.correlation != 0 && launch != launches.end() &&
                     launch->first == activity.correlation;
  const run::Phase phase = known ? phases.at(launch->second) : run::Phase::kOther;
  return static_cast<std::size_t>(phase) < run::kPhaseCount ? phase : run::Phase::kOther;
}

}  // namespace

DevicePieces::DevicePieces(const run::ProcessTrack& process, const run::NameTable& names,
                           std::uint16_t device, const PhaseTimeline& phases)
    : phases_(phases) {
  const std::vector<LaunchTime> launches = launch_times(process);
  NameCache classes(names, kernel_class);
  std::optional<std::int64_t> until;
  for (const run::DeviceActivity& activity : process.activities) {
    if (activity.device != device) continue;
    if (activity.kind == run::ActivityKind::kKernel &&
        classes.of(activity.name) == KernelClass::kCollective) {
      continue;
    }
    const std::int64_t begin = std::max(activity.begin_ns, until.value_or(activity.begin_ns));
    if (activity.end_ns <= begin) continue;
    pieces_.push_back({begin, activity.end_ns, launched_in(activity, launches, phases),
                       activity.kind != run::ActivityKind::kCopy});
    until = activity.end_ns;
  }
}

PhaseSums DevicePieces::between(std::int64_t from_ns, std::int64_t to_ns) const {
  PhaseSums sums;
  const auto idle = [&](std::int64_t begin, std::int64_t end) {
    phases_.pieces(begin, end, [&](std::int64_t from, std::int64_t to, run::Phase phase) {
      const auto at = static_cast<std::size_t>(phase);
      const auto ns = static_cast<double>(to - from);
      sums.all[at < run::kPhaseCount ? at : 0] += ns;
      sums.idle += ns;
    });
  };
  std::int64_t done = from_ns;
  for (auto piece = std::ranges::upper_bound(pieces_, from_ns, {}, &Piece::end_ns);
       piece != pieces_.end() && piece->begin_ns < to_ns; ++piece) {
    const std::int64_t begin = std::max(done, piece->begin_ns);
    const std::int64_t end = std::min(to_ns, piece->end_ns);
    idle(done, begin);
    sums.all[static_cast<std::size_t>(piece->phase)] += static_cast<double>(end - begin);
    done = end;
  }
  idle(done, to_ns);
  return sums;
}

std::int64_t DevicePieces::computed(std::int64_t from_ns, std::int64_t to_ns) const {
  std::int64_t sum = 0;
  for (auto piece = std::ranges::upper_bound(pieces_, from_ns, {}, &Piece::end_ns);
       piece != pieces_.end() && piece->begin_ns < to_ns; ++piece) {
    if (!piece->computes) continue;
    sum += std::min(to_ns, piece->end_ns) - std::max(from_ns, piece->begin_ns);
  }
  return sum;
}

}  // namespace flatout::analyse
