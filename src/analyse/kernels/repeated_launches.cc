#include "analyse/kernels/repeated_launches.h"

#include <algorithm>
#include <map>
#include <vector>

#include "analyse/kernels/name_cache.h"
#include "run/host_calls.h"

namespace flatout::analyse {
namespace {

constexpr std::size_t kStepsLookedAt = 32;

struct LaunchedKernel {
  std::int64_t call_ns = 0;
  std::uint64_t correlation = 0;
  std::uint32_t name = 0;
  bool in_graph = false;
};

struct StepLaunches {
  std::vector<LaunchedKernel> kernels;
  std::vector<std::int64_t> waits_ns;  // begins of calls that wait for the device, or copy

  // FNV-1a over the names' numbers.
  std::uint64_t pattern() const {
    std::uint64_t hash = 0xcbf29ce484222325U;
    for (const LaunchedKernel& kernel : kernels) {
      hash = (hash ^ kernel.name) * 0x100000001b3U;
    }
    return hash;
  }
  bool waits_between() const {
    return std::ranges::any_of(waits_ns, [&](std::int64_t wait_ns) {
      return wait_ns > kernels.front().call_ns && wait_ns < kernels.back().call_ns;
    });
  }
  // Nodes of graphs, by the trace's word or since one call launched others, too.
  std::int64_t in_graphs() const {
    std::map<std::uint64_t, std::int64_t> of_call;
    for (const LaunchedKernel& kernel : kernels) ++of_call[kernel.correlation];
    return std::ranges::count_if(kernels, [&](const LaunchedKernel& kernel) {
      return kernel.in_graph || of_call[kernel.correlation] > 1;
    });
  }
};

class LaunchesOfSteps {
 public:
  explicit LaunchesOfSteps(std::span<const Step> steps) : steps_(steps), of_(steps.size()) {}

  StepLaunches* at(std::int64_t t_ns) {
    const auto after = std::ranges::upper_bound(steps_, t_ns, {}, &Step::begin_ns);
    if (after == steps_.begin() || t_ns >= std::prev(after)->end_ns) return nullptr;
    return &of_[static_cast<std::size_t>(after - steps_.begin()) - 1];
  }
  // By the order of their launches, those with a kernel.
  std::vector<StepLaunches> finish() {
    std::erase_if(of_, [](const StepLaunches& step) { return step.kernels.empty(); });
    for (StepLaunches& step : of_) {
      std::ranges::stable_sort(step.kernels, {}, &LaunchedKernel::call_ns);
    }
    return std::move(of_);
  }

 private:
  std::span<const Step> steps_;
  std::vector<StepLaunches> of_;
};

bool passes_the_host(run::CopyDirection direction) {
  return direction == run::CopyDirection::kHostToDevice ||
         direction == run::CopyDirection::kDeviceToHost;
}

void add_activities(const run::ProcessTrack& process, const HostTimeline& host,
                    std::uint16_t device, LaunchesOfSteps& steps) {
  for (const run::DeviceActivity& activity : process.activities) {
    if (activity.device != device) continue;
    const std::optional<Launch> launch = host.launch(activity.correlation);
    StepLaunches* step = launch ? steps.at(launch->begin_ns) : nullptr;
    if (step == nullptr) continue;
    if (activity.kind == run::ActivityKind::kKernel) {
      step->kernels.push_back(
          {launch->begin_ns, activity.correlation, activity.name, activity.graph != 0});
    } else if (activity.kind == run::ActivityKind::kCopy && passes_the_host(activity.direction)) {
      step->waits_ns.push_back(launch->begin_ns);
    }
  }
}

void add_waits(const run::ProcessTrack& process, const run::NameTable& names,
               std::span<const Step> steps, LaunchesOfSteps& of_steps) {
  NameCache waits(names, &run::is_sync_call);
  for (const run::HostSpan& span :
       process.host_spans.between(steps.front().begin_ns, steps.back().end_ns)) {
    if (span.kind != run::HostSpanKind::kCall || !waits.of(span.name)) continue;
    if (StepLaunches* step = of_steps.at(span.begin_ns)) step->waits_ns.push_back(span.begin_ns);
  }
}

// The number of the pattern that most steps have, the first of them.
std::uint64_t most_common(const std::vector<StepLaunches>& steps) {
  std::map<std::uint64_t, int> counts;
  for (const StepLaunches& step : steps) ++counts[step.pattern()];
  return std::ranges::max_element(counts, {}, [](const auto& entry) { return entry.second; })
      ->first;
}

}  // namespace

std::optional<run::RepeatedLaunchesReport> find_repeated_launches(const run::ProcessTrack& process,
                                                                  const run::NameTable& names,
                                                                  const HostTimeline& host,
                                                                  std::uint16_t device,
                                                                  std::span<const Step> steps) {
  if (steps.empty()) return std::nullopt;
  steps = steps.last(std::min(kStepsLookedAt, steps.size()));
  LaunchesOfSteps of_steps(steps);
  add_activities(process, host, device, of_steps);
  add_waits(process, names, steps, of_steps);
  const std::vector<StepLaunches> launched = of_steps.finish();
  if (launched.empty()) return std::nullopt;
  const std::uint64_t pattern = most_common(launched);
  run::RepeatedLaunchesReport report;
  report.steps = static_cast<std::int64_t>(launched.size());
  std::int64_t in_graphs = 0;
  for (const StepLaunches& step : launched) {
    if (step.pattern() != pattern) continue;
    ++report.repeated;
    report.kernels = static_cast<std::int64_t>(step.kernels.size());
    if (step.waits_between()) ++report.with_wait;
    in_graphs += step.in_graphs();
  }
  report.in_graphs_share =
      static_cast<double>(in_graphs) / static_cast<double>(report.kernels * report.repeated);
  return report;
}

}  // namespace flatout::analyse
