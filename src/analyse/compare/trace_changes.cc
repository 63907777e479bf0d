// Two traces are of different length, so that their times are held against each other by the step:
// a time over the device's window, times the mean step. Where one of them has no steps, by the
// second of the window.
#include "analyse/compare/trace_changes.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "analyse/kernels/kernel_class.h"
#include "analyse/kernels/traced_device.h"
#include "analyse/kernels/traced_process.h"

namespace flatout::analyse {
namespace {

constexpr std::size_t kShownKernels = 20;

struct KernelSum {
  double ms = 0;
  double count = 0;
};

// One trace, by the step or second.
struct TraceSums {
  std::map<std::string, double> idle_ms;
  std::map<std::string, double> class_ms;
  std::map<std::string, KernelSum, std::less<>> kernels;
};

// Kernels by their names' numbers, in the time that the report's figures are of.
class NameSums final : public TracedDeviceSink {
 public:
  explicit NameSums(const run::NameTable& names) : sums_(names.size()) {}

  void begin(const HostTimeline&, const TimeWindow& known) override { known_ = known; }
  void add(const run::DeviceActivity& activity) override {
    if (activity.kind != run::ActivityKind::kKernel || activity.name >= sums_.size()) return;
    if (activity.begin_ns < known_.begin_ns) return;
    const auto ns = static_cast<double>(activity.end_ns) - static_cast<double>(activity.begin_ns);
    sums_[activity.name].ms += std::max(0.0, ns) / 1e6;
    ++sums_[activity.name].count;
  }
  void end() override {}

  const std::vector<KernelSum>& sums() const { return sums_; }

 private:
  TimeWindow known_;
  std::vector<KernelSum> sums_;
};

class Ignored final : public TracedDeviceSink {
 public:
  void begin(const HostTimeline&, const TimeWindow&) override {}
  void add(const run::DeviceActivity&) override {}
  void end() override {}
};

std::vector<KernelSum> kernels_of(const Analysed& run) {
  const TracedDevice traced = traced_device(*run.timeline, *run.analysis);
  const auto steps = run.analysis->steady();
  TimeWindow clip = kAllTime;
  if (run.analysis->kernel_trace()->of_steps && !steps.empty()) {
    clip = {steps.front().begin_ns, steps.back().end_ns};
  }
  NameSums sums(*run.timeline->names);
  Ignored others;
  const TracedProcess process(*traced.process, *run.timeline->names, std::nullopt);
  process.each(clip, [&](std::uint16_t device) -> TracedDeviceSink& {
    if (device == traced.device) return sums;
    return others;
  });
  return sums.sums();
}

TraceSums sums_of(const Analysed& run, double unit_ms) {
  TraceSums sums;
  const run::KernelTraceReport& trace = *run.analysis->kernel_trace();
  const double scale = trace.window_ms > 0 ? unit_ms / trace.window_ms : 0;
  if (trace.idle_account) {
    for (std::size_t cause = 0; cause < run::kIdleCauses; ++cause) {
      sums.idle_ms[std::string(run::kIdleCauseNames[cause])] =
          trace.idle_account->shares[cause] * unit_ms;
    }
  }
  std::vector<KernelSum> by_name = kernels_of(run);
  for (KernelSum& kernel : by_name) {
    kernel.ms *= scale;
    kernel.count *= scale;
  }
  for (std::uint32_t number = 0; number < by_name.size(); ++number) {
    if (by_name[number].count <= 0) continue;
    const std::string_view name = run.timeline->names->at(number);
    sums.class_ms[std::string(kernel_class_name(kernel_class(name)))] += by_name[number].ms;
    sums.kernels.emplace(name, by_name[number]);
  }
  return sums;
}

template <typename T>
std::optional<T> found_in(const auto& map, const std::string& name) {
  const auto found = map.find(name);
  return found == map.end() ? std::nullopt : std::optional<T>(found->second);
}

double size_of(const run::TimeChange& change) {
  return std::abs(change.after_ms.value_or(0) - change.before_ms.value_or(0));
}

// By name; those that neither has are left out. The largest difference first.
std::vector<run::TimeChange> time_changes(const std::map<std::string, double>& before,
                                          const std::map<std::string, double>& after) {
  std::map<std::string, double> names = before;
  names.insert(after.begin(), after.end());
  std::vector<run::TimeChange> out;
  for (const auto& [name, unused] : names) {
    run::TimeChange change{name, found_in<double>(before, name), found_in<double>(after, name)};
    if (change.before_ms.value_or(0) > 0 || change.after_ms.value_or(0) > 0) out.push_back(change);
  }
  std::ranges::stable_sort(out, std::ranges::greater(), size_of);
  return out;
}

std::vector<run::KernelChange> kernel_changes(const TraceSums& before, const TraceSums& after) {
  std::map<std::string, KernelSum, std::less<>> names = before.kernels;
  names.insert(after.kernels.begin(), after.kernels.end());
  std::vector<run::KernelChange> out;
  for (const auto& [name, unused] : names) {
    const auto first = found_in<KernelSum>(before.kernels, name);
    const auto second = found_in<KernelSum>(after.kernels, name);
    run::KernelChange change;
    change.name = name;
    change.kernel_class = kernel_class_name(kernel_class(name));
    change.presence = !first    ? run::Presence::kCame
                      : !second ? run::Presence::kWent
                                : run::Presence::kStayed;
    if (first) change.before_ms = first->ms;
    if (first) change.before_count = first->count;
    if (second) change.after_ms = second->ms;
    if (second) change.after_count = second->count;
    out.push_back(std::move(change));
  }
  std::ranges::stable_sort(out, std::ranges::greater(), [](const run::KernelChange& change) {
    return std::abs(change.after_ms.value_or(0) - change.before_ms.value_or(0));
  });
  if (out.size() > kShownKernels) out.resize(kShownKernels);
  return out;
}

std::optional<double> step_ms(const Analysed& run) {
  return run.report->steps ? run.report->steps->mean_ms : std::nullopt;
}

}  // namespace

std::optional<run::TraceChanges> trace_changes(const Analysed& before, const Analysed& after) {
  constexpr double kSecondMs = 1000;
  for (const Analysed* run : {&before, &after}) {
    if (run->analysis->kernel_trace() == nullptr || !run->timeline->names) return std::nullopt;
  }
  run::TraceChanges changes;
  changes.by_step = step_ms(before) && step_ms(after);
  const TraceSums first = sums_of(before, changes.by_step ? *step_ms(before) : kSecondMs);
  const TraceSums second = sums_of(after, changes.by_step ? *step_ms(after) : kSecondMs);
  changes.idle = time_changes(first.idle_ms, second.idle_ms);
  changes.classes = time_changes(first.class_ms, second.class_ms);
  changes.kernels = kernel_changes(first, second);
  return changes;
}

}  // namespace flatout::analyse
