#include "analyse/kernels/traced_phases.h"

#include <algorithm>
#include <map>
#include <optional>
#include <utility>
#include <vector>

#include "analyse/kernels/kernel_class.h"
#include "analyse/kernels/name_cache.h"
#include "analyse/kernels/phase_timeline.h"

namespace flatout::analyse {
namespace {

using run::Phase;

bool launches_nothing(Phase phase) {
  return phase == Phase::kDataWait || phase == Phase::kSync || phase == Phase::kCheckpoint ||
         phase == Phase::kComm;
}

std::optional<std::uint16_t> main_device(const run::ProcessTrack& process) {
  std::map<std::uint16_t, std::uint64_t> kernels;
  for (const run::DeviceActivity& activity : process.activities) ++kernels[activity.device];
  const auto most =
      std::ranges::max_element(kernels, {}, [](const auto& entry) { return entry.second; });
  return most == kernels.end() ? std::nullopt : std::optional(most->first);
}

class TracedPhases {
 public:
  TracedPhases(const run::ProcessTrack& process, const run::NameTable& names,
               const HostTimeline& host, std::uint16_t lane, std::span<const Step> steps)
      : host_(host),
        phases_(process, lane),
        classes_(names, kernel_class),
        from_ns_(steps.front().begin_ns),
        to_ns_(steps.back().end_ns) {}

  void add(const run::DeviceActivity& activity) {
    const std::int64_t begin = std::clamp(activity.begin_ns, until_or_from(), to_ns_);
    idle(until_or_from(), begin);
    const std::int64_t end = std::clamp(activity.end_ns, begin, to_ns_);
    sums_[phase_of(activity)] += end - begin;
    until_ = end;
  }
  void finish() { idle(until_or_from(), to_ns_); }

  std::map<Phase, double> shares() const {
    std::map<Phase, double> out;
    const auto whole = static_cast<double>(to_ns_ - from_ns_);
    for (const auto& [phase, ns] : sums_) {
      if (ns > 0) out[phase] = static_cast<double>(ns) / whole;
    }
    return out;
  }

 private:
  std::int64_t until_or_from() const { return until_.value_or(from_ns_); }

  void idle(std::int64_t from_ns, std::int64_t to_ns) {
    phases_.pieces(from_ns, to_ns, [this](std::int64_t begin, std::int64_t end, Phase phase) {
      sums_[launches_nothing(phase) ? phase : Phase::kOther] += end - begin;
    });
  }

  Phase phase_of(const run::DeviceActivity& activity) {
    if (activity.direction == run::CopyDirection::kHostToDevice) return Phase::kH2d;
    if (activity.kind == run::ActivityKind::kKernel &&
        classes_.of(activity.name) == KernelClass::kCollective) {
      return Phase::kComm;
    }
    const std::optional<Launch> launch = host_.launch(activity.correlation);
    const Phase phase = launch ? phases_.at(launch->begin_ns) : Phase::kOther;
    return phase < Phase::kIterBuild ? phase : Phase::kOther;
  }

  const HostTimeline& host_;
  PhaseTimeline phases_;
  NameCache<decltype(&kernel_class)> classes_;
  std::int64_t from_ns_, to_ns_;
  std::optional<std::int64_t> until_;
  std::map<Phase, std::int64_t> sums_;
};

}  // namespace

std::map<Phase, double> traced_phases(const run::ProcessTrack& process, const run::NameTable& names,
                                      const HostTimeline& host, std::uint16_t lane,
                                      std::span<const Step> steps) {
  const auto device = main_device(process);
  if (!device || steps.empty() || steps.back().end_ns <= steps.front().begin_ns) return {};
  TracedPhases phases(process, names, host, lane, steps);
  for (const run::DeviceActivity& activity : process.activities) {
    if (activity.device == *device) phases.add(activity);
  }
  phases.finish();
  return phases.shares();
}

}  // namespace flatout::analyse
