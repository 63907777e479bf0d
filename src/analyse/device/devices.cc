#include "analyse/device/devices.h"

#include <algorithm>
#include <cmath>

#include "analyse/device/sampled_allocator.h"
#include "analyse/facts.h"
#include "analyse/pattern.h"
#include "analyse/stats.h"

namespace flatout::analyse {
namespace {

using run::Phase;

constexpr std::int64_t kWindowNs = 1'000'000'000;
constexpr int kWindowSteps = 4;
constexpr std::size_t kSawtoothCycles = 4;
constexpr double kIdleStep = 0.1;

std::int64_t busy_ns(const Step& step) {
  return step.phase_ns(Phase::kForward) + step.phase_ns(Phase::kBackward) +
         step.phase_ns(Phase::kOptimizer);
}

double ratio(std::int64_t part, std::int64_t whole) {
  return whole > 0 ? static_cast<double>(part) / static_cast<double>(whole) : 0;
}

double idle_step_share(std::span<const Step> steps) {
  const auto idle = std::ranges::count_if(
      steps, [](const Step& step) { return 1 - ratio(busy_ns(step), step.own_ns) >= kIdleStep; });
  return steps.empty() ? 0 : static_cast<double>(idle) / static_cast<double>(steps.size());
}

bool even_lengths(std::span<const Step> steps, double centre) {
  std::vector<double> distances;
  for (const Step& step : steps) {
    distances.push_back(std::abs(static_cast<double>(step.own_ns) - centre));
  }
  return median(distances).value_or(0) <= 0.25 * centre;
}

void find_pattern(std::span<const Step> steps, std::span<const double> busy,
                  run::Utilization& result) {
  std::vector<double> lengths;
  for (const Step& step : steps) lengths.push_back(static_cast<double>(step.own_ns));
  const double centre = median(lengths).value_or(0);
  const double idle = idle_step_share(steps);
  if (std::ranges::all_of(busy, [](double b) { return b >= kFlatBusy; })) {
    result.pattern = "flat";
  } else if (steps.size() >= kSawtoothCycles && idle >= 0.8 && even_lengths(steps, centre)) {
    result.pattern = "sawtooth";
    result.period_ms = centre / 1e6;
    result.duty = result.mean;
  } else if (deviation(busy) <= kFlatDeviation && idle < 0.2) {
    result.pattern = "flat";
  }
}

std::optional<run::Utilization> cuda_utilization(const Analysis& analysis) {
  const std::optional<double> computes = analysis.device_compute_share();
  if (!computes) return std::nullopt;
  run::Utilization result;
  result.source = "events";
  result.mean = *computes;
  return result;
}

}  // namespace

std::vector<BusyWindow> busy_windows(const Analysis& analysis) {
  std::vector<BusyWindow> windows;
  std::int64_t begin = 0, own = 0, busy = 0;
  int steps = 0;
  for (const Step& step : analysis.steady()) {
    if (steps == 0) begin = step.begin_ns;
    own += step.own_ns;
    busy += busy_ns(step);
    if (++steps < kWindowSteps || own < kWindowNs) continue;
    windows.push_back({begin, ratio(busy, own)});
    own = busy = steps = 0;
  }
  if (windows.empty() && steps > 0) windows.push_back({begin, ratio(busy, own)});
  return windows;
}

std::optional<run::Utilization> cpu_utilization(const Analysis& analysis) {
  if (analysis.steady_own_ns <= 0 || !analysis.compute_seen()) return std::nullopt;
  std::vector<double> busy;
  for (const BusyWindow& window : busy_windows(analysis)) busy.push_back(window.busy);
  run::Utilization result;
  result.source = "phases";
  result.mean = analysis.compute_share();
  result.p10 = quantile(busy, 0.1);
  result.p50 = quantile(busy, 0.5);
  result.p90 = quantile(busy, 0.9);
  find_pattern(analysis.steady(), busy, result);
  return result;
}

namespace {

run::DeviceReport device_named(int index, const std::string& name, std::string_view kind) {
  run::DeviceReport out;
  out.index = index;
  out.name = name;
  out.kind = kind;
  return out;
}

// What the hooks say of CUDA devices where no driver does.
std::vector<run::DeviceReport> devices_of_facts(const run::Timeline& timeline,
                                                const Analysis& analysis) {
  std::vector<run::DeviceReport> devices;
  for (const run::DeviceFact& fact :
       devices_of(timeline.processes.at(analysis.pid).facts.observed())) {
    devices.push_back(device_named(fact.index, fact.name, "cuda"));
  }
  // The polled events do not name one of several devices.
  if (devices.empty()) devices.push_back(device_named(0, "CUDA device", "cuda"));
  if (devices.size() == 1) devices.front().utilization = cuda_utilization(analysis);
  return devices;
}

}  // namespace

namespace {

// As CUDA counts it in the process -> as the driver does, where it says both.
int driver_index(const run::Timeline& timeline, int in_process) {
  for (const auto& [index, device] : timeline.devices) {
    if (device.visible_index == in_process) return index;
  }
  return in_process;
}

run::DeviceReport traced_device(const run::Timeline& timeline, int in_process) {
  run::DeviceReport device;
  const int index = driver_index(timeline, in_process);
  const auto known = timeline.devices.find(index);
  if (known != timeline.devices.end()) static_cast<run::Device&>(device) = known->second;
  device.index = index;
  device.kind = "cuda";
  return device;
}

void add_traced(const run::Timeline& timeline, const Analysis& analysis,
                std::vector<run::DeviceReport>& devices) {
  for (const auto& [in_process, trace] : analysis.kernel_traces) {
    const int index = driver_index(timeline, in_process);
    const auto known = std::ranges::find_if(devices, [index](const run::DeviceReport& device) {
      return device.kind != "cpu" && device.index == index;
    });
    run::DeviceReport& device =
        known != devices.end() ? *known : devices.emplace_back(traced_device(timeline, in_process));
    device.trace = trace;
    const auto steady = analysis.steady_traces.find(in_process);
    if (steady != analysis.steady_traces.end()) device.trace_in_steps = steady->second;
  }
}

std::vector<run::DeviceReport> sampled_devices(const run::Timeline& timeline,
                                               const Analysis& analysis) {
  const bool steps = !analysis.cut.steps.empty();
  if (steps && analysis.cuda && analysis.devices.empty()) {
    return devices_of_facts(timeline, analysis);
  }
  std::vector<run::DeviceReport> devices;
  if (steps && !analysis.cuda) {
    const std::string& model = timeline.info.cpu_model;
    devices.push_back(device_named(0, model.empty() ? "CPU" : model, "cpu"));
    devices.back().utilization = cpu_utilization(analysis);
  }
  for (std::size_t i = 0; i < analysis.devices.size(); ++i) {
    devices.push_back(static_cast<const run::DeviceReport&>(analysis.devices[i]));
    if (analysis.step_device != i || devices.back().utilization) continue;
    devices.back().utilization = cuda_utilization(analysis);
  }
  return devices;
}

}  // namespace

std::vector<run::DeviceReport> measure_devices(const run::Timeline& timeline,
                                               const Analysis& analysis) {
  std::vector<run::DeviceReport> devices = sampled_devices(timeline, analysis);
  add_traced(timeline, analysis, devices);
  for (run::DeviceReport& device : devices) {
    if (device.kind == "cpu" || analysis.foreign_trace) continue;
    device.allocator =
        sampled_allocator(timeline, device.index, analysis.cut.steps, analysis.steady_window());
  }
  return devices;
}

}  // namespace flatout::analyse
