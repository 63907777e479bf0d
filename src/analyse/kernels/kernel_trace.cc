#include "analyse/kernels/kernel_trace.h"

#include <algorithm>
#include <charconv>
#include <memory>
#include <optional>
#include <string>
#include <system_error>
#include <utility>

#include "analyse/kernels/beyond_window.h"
#include "analyse/kernels/device_busy_time.h"
#include "analyse/kernels/device_peaks.h"
#include "analyse/kernels/free_work.h"
#include "analyse/kernels/host_timeline.h"
#include "analyse/kernels/idle_account.h"
#include "analyse/kernels/kernel_insights.h"
#include "analyse/kernels/kernel_sums.h"
#include "analyse/kernels/op_instances.h"
#include "analyse/kernels/repeated_launches.h"
#include "analyse/kernels/roofline.h"
#include "analyse/kernels/traced_phases.h"
#include "analyse/kernels/traced_process.h"
#include "analyse/kernels/traced_steps.h"
#include "analyse/kernels/wait_table.h"

namespace flatout::analyse {
namespace {

run::IdleAccountReport account_report(const IdleAccount& account, double window_ns) {
  run::IdleAccountReport report;
  for (std::size_t cause = 0; cause < kIdleCauses; ++cause) {
    report.shares[cause] =
        static_cast<double>(account.of(static_cast<IdleCause>(cause))) / window_ns;
  }
  return report;
}

void set_busy(run::KernelTraceReport& report, const DeviceBusyTime& time) {
  const auto window = static_cast<double>(time.window_ns);
  report.window_ms = window / 1e6;
  if (window <= 0) return;
  report.busy = static_cast<double>(time.busy_ns) / window;
  report.compute = static_cast<double>(time.compute_ns) / window;
  report.comm_exposed = static_cast<double>(time.comm_exposed_ns) / window;
  report.copy_exposed = static_cast<double>(time.copy_exposed_ns) / window;
  report.idle = static_cast<double>(time.window_ns - time.busy_ns) / window;
  report.comm.time_ms = static_cast<double>(time.comm_ns) / 1e6;
  report.comm.exposed_ms = static_cast<double>(time.comm_exposed_ns) / 1e6;
  if (time.comm_ns > 0) {
    report.comm.overlap =
        1 - static_cast<double>(time.comm_exposed_ns) / static_cast<double>(time.comm_ns);
  }
}

// Of one device, over all windows.
class DeviceMeasure final : public TracedDeviceSink {
 public:
  DeviceMeasure(const run::NameTable& names, const OpInstances* ops, const run::OpCostTable* costs)
      : account_(no_host_),
        busy_(names, [this](const DeviceGap& gap) { account_.add(gap); }),
        sums_(names),
        insights_(names),
        roofline_(names, ops, costs) {
    account_.set_take_sync([this](std::uint16_t lane, std::int64_t at_ns, std::int64_t ns) {
      const WaitCall* wait = host_->wait_at(lane, at_ns);
      waits_.add_idle(wait != nullptr ? wait->caller : WaitCaller(), ns);
    });
  }

  void begin(const HostTimeline& host, const TimeWindow& known) override {
    known_ = known;
    host_ = &host;
    account_.set_host(host, known.begin_ns);
    busy_.begin(known);
    insights_.begin(host, known);
    roofline_.begin(host);
    add_waits();
  }
  void add(const run::DeviceActivity& activity) override {
    busy_.add(activity);
    insights_.add(activity);
    if (activity.begin_ns < known_.begin_ns) return;
    sums_.add(activity);
    roofline_.add(activity);
    if (activity.kind != run::ActivityKind::kCopy) return;
    const std::optional<Launch> launch = host_->launch(activity.correlation);
    const std::int64_t called_ns = launch ? launch->begin_ns : activity.begin_ns;
    if (host_->phase_at(called_ns) != HostState::kCheckpoint) return;
    saved_ns_ += std::min(activity.end_ns, known_.end_ns) - activity.begin_ns;
  }
  void end() override {
    busy_.end();
    insights_.end();
  }

  std::int64_t window_ns() const { return busy_.time().window_ns; }
  run::KernelTraceReport report(bool host_known, const run::NameTable& names,
                                const std::vector<run::WaitSiteFact>& sites,
                                const DevicePeaks* peaks) const {
    run::KernelTraceReport report;
    set_busy(report, busy_.time());
    const auto window = static_cast<double>(window_ns());
    if (host_known && window > 0) {
      report.idle_account = account_report(account_, window);
      report.launch_outside_phases = static_cast<double>(account_.launch_outside_phases()) / window;
      report.launch_in_python = static_cast<double>(account_.launch_in_python()) / window;
    }
    if (window > 0) report.copies_in_checkpoint = static_cast<double>(saved_ns_) / window;
    report.kernels = sums_.kernels();
    report.copies = sums_.copies();
    insights_.report(report);
    report.roofline = roofline_.report(window, peaks);
    report.waits = waits_.rows(names, sites);
    return report;
  }

 private:
  // Those that begin in the time that is known.
  void add_waits() {
    for (const auto& [lane, waits] : host_->waits()) {
      const auto first = std::ranges::lower_bound(waits, known_.begin_ns, {}, &WaitCall::begin_ns);
      for (const WaitCall& wait : std::span(first, waits.end())) {
        if (wait.begin_ns >= known_.end_ns) break;
        waits_.add_call(wait.caller, std::min(wait.end_ns, known_.end_ns) - wait.begin_ns);
      }
    }
  }

  HostTimeline no_host_;
  IdleAccount account_;
  DeviceBusyMeter busy_;
  KernelSums sums_;
  KernelInsights insights_;
  Roofline roofline_;
  WaitTable waits_;
  TimeWindow known_;
  const HostTimeline* host_ = &no_host_;
  std::int64_t saved_ns_ = 0;
};

using Devices = std::map<int, run::KernelTraceReport>;

using NewReports = std::map<std::uint16_t, run::KernelTraceReport*>;

// The one that the process numbers so; null where nothing is known of it.
const run::Device* device_of(const run::Timeline& timeline, int in_process) {
  for (const auto& [index, device] : timeline.devices) {
    if (device.visible_index == in_process) return &device;
  }
  return nullptr;
}

std::optional<int> capability_major_of(const run::Device& device) {
  int major = 0;
  const std::string text = device.capability.value_or("");
  const auto read = std::from_chars(text.data(), text.data() + text.size(), major);
  return read.ec == std::errc() ? std::optional(major) : std::nullopt;
}

// Adds what is not there yet, and gives that: of a device that two processes use, the first one's.
NewReports measure_process(const TracedProcess& process, const run::Timeline& timeline,
                           const OpInstances& ops, const TimeWindow& clip, std::int64_t least_ns,
                           Devices& to) {
  const auto& sites = process.facts().observed().wait_sites;
  std::map<std::uint16_t, std::unique_ptr<DeviceMeasure>> measures;
  const bool host_known = process.each(clip, [&](std::uint16_t device) -> TracedDeviceSink& {
    auto& measure = measures[device];
    if (!measure)
      measure = std::make_unique<DeviceMeasure>(*timeline.names, &ops, timeline.op_costs.get());
    return *measure;
  });
  NewReports added;
  for (const auto& [device, measure] : measures) {
    if (measure->window_ns() < least_ns) continue;
    const run::Device* const hardware = device_of(timeline, device);
    const DevicePeaks* const peaks = hardware != nullptr ? device_peaks(hardware->name) : nullptr;
    const auto [report, fresh] =
        to.emplace(device, measure->report(host_known, *timeline.names, sites, peaks));
    if (!fresh) continue;
    if (hardware != nullptr) report->second.capability_major = capability_major_of(*hardware);
    added.emplace(device, &report->second);
  }
  return added;
}

// Those that lie in a window.
std::span<const Step> within(std::span<const Step> steps, const TimeWindow& window) {
  const auto first = std::ranges::lower_bound(steps, window.begin_ns, {}, &Step::begin_ns);
  const auto past = std::ranges::upper_bound(steps, window.end_ns, {}, &Step::end_ns);
  return first < past ? std::span(first, past) : std::span<const Step>();
}

// What a piece of steps without a gap shows: their launches, and what they would save.
// `host` is of the window.
void add_step_insights(const run::ProcessTrack& process, const run::NameTable& names,
                       const HostTimeline& host, const TimeWindow& window,
                       std::span<const Step> steps, const NewReports& to) {
  if (to.empty()) return;
  const std::span<const Step> whole = traced_steps(process, host, within(steps, window));
  std::optional<run::FreeWorkReport> free_work;
  // Without steps only what is traced as a whole has a length.
  if (!whole.empty() || (steps.empty() && window.begin_ns == kAllTime.begin_ns)) {
    free_work = measure_free_work(process, names, host, whole);
  }
  for (const auto& [device, report] : to) {
    report->free_work = free_work;
    report->patterns.repeated = find_repeated_launches(process, names, host, device, whole);
  }
}

constexpr int kLeastSteps = 2;  // that are traced, for a judgement on the steps

}  // namespace

StepThread step_thread(const TracedLane& lane) {
  return {.lane = lane.lane,
          .first_step_ns = lane.first_step_ns.value_or(StepThread::kAlways),
          .evaluations = lane.evaluations};
}

KernelTraces measure_kernel_trace(const run::Timeline& timeline,
                                  const std::optional<TracedLane>& lane,
                                  std::span<const Step> steps, std::span<const TracedLane> others) {
  KernelTraces traces;
  if (!timeline.names) return traces;
  const bool own_run = timeline.info.trace_file.empty();
  for (const auto& [pid, process] : timeline.processes) {
    if (process.activities.empty()) continue;
    const bool trains = lane && lane->pid == pid;
    const auto other = std::ranges::find(others, pid, &TracedLane::pid);
    const TracedLane* const known = trains ? &*lane : other != others.end() ? &*other : nullptr;
    const TracedProcess traced(process, *timeline.names,
                               known ? std::optional(step_thread(*known)) : std::nullopt);
    const OpInstances ops =
        timeline.op_costs ? OpInstances(process, *timeline.op_costs) : OpInstances();
    const NewReports all = measure_process(traced, timeline, ops, kAllTime, 0, traces.devices);
    NewReports in_steps;
    const std::span<const Step> own_steps = trains ? steps : std::span<const Step>();
    if (trains && !steps.empty() && own_run) {
      const TimeWindow steady{steps.front().begin_ns, steps.back().end_ns};
      std::int64_t step_ns = 0;  // steps of windows do not touch
      for (const Step& step : steps) step_ns += step.end_ns - step.begin_ns;
      step_ns /= static_cast<std::int64_t>(steps.size());
      in_steps =
          measure_process(traced, timeline, ops, steady, kLeastSteps * step_ns, traces.steady);
    }
    const TimeWindow window = traced.longest_window();
    const HostTimeline host = traced.host(window);
    add_step_insights(process, *timeline.names, host, window, own_steps, all);
    add_step_insights(process, *timeline.names, host, window, own_steps, in_steps);
    if (trains && !steps.empty() && !own_run) {
      traces.phases = traced_phases(process, *timeline.names, host, lane->lane, steps);
      for (const auto& [device, report] : all) {
        report->beyond = beyond_window(process, host, device, traced.devices().at(device), steps);
      }
    }
  }
  for (auto& [device, report] : traces.steady) report.of_steps = true;
  return traces;
}

}  // namespace flatout::analyse
