#include "analyse/kernels/kernel_trace.h"

#include <set>
#include <utility>

#include "analyse/kernels/device_busy_time.h"
#include "analyse/kernels/free_work.h"
#include "analyse/kernels/host_timeline.h"
#include "analyse/kernels/idle_account.h"
#include "analyse/kernels/kernel_insights.h"
#include "analyse/kernels/kernel_sums.h"
#include "analyse/kernels/traced_phases.h"
#include "analyse/kernels/traced_steps.h"

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
  const auto window = static_cast<double>(time.window_ns());
  report.window_ms = window / 1e6;
  if (window <= 0) return;
  report.busy = static_cast<double>(time.busy_ns) / window;
  report.compute = static_cast<double>(time.compute_ns) / window;
  report.comm_exposed = static_cast<double>(time.comm_exposed_ns) / window;
  report.copy_exposed = static_cast<double>(time.copy_exposed_ns) / window;
  report.idle = static_cast<double>(time.window_ns() - time.busy_ns) / window;
  report.comm.time_ms = static_cast<double>(time.comm_ns) / 1e6;
  report.comm.exposed_ms = static_cast<double>(time.comm_exposed_ns) / 1e6;
  if (time.comm_ns > 0) {
    report.comm.overlap =
        1 - static_cast<double>(time.comm_exposed_ns) / static_cast<double>(time.comm_ns);
  }
}

run::KernelTraceReport measure_device(const run::ProcessTrack& process, const run::NameTable& names,
                                      const HostTimeline& host, std::uint16_t device,
                                      std::span<const Step> steps) {
  run::KernelTraceReport report;
  IdleAccount account(host);
  const DeviceBusyTime time = measure_busy_time(process.activities, names, device,
                                                [&](const DeviceGap& gap) { account.add(gap); });
  set_busy(report, time);
  const auto window = static_cast<double>(time.window_ns());
  if (!host.empty() && window > 0) {
    report.idle_account = account_report(account, window);
    report.launch_in_python = static_cast<double>(account.launch_in_python()) / window;
  }
  KernelSums sums(names);
  for (const run::DeviceActivity& activity : process.activities) {
    if (activity.device == device) sums.add(activity);
  }
  report.kernels = sums.kernels();
  report.copies = sums.copies();
  add_kernel_insights(process, names, host, device, steps, report);
  return report;
}

}  // namespace

KernelTraces measure_kernel_trace(const run::Timeline& timeline,
                                  const std::optional<StepLane>& lane,
                                  std::span<const Step> steps) {
  KernelTraces traces;
  if (!timeline.names) return traces;
  for (const auto& [pid, process] : timeline.processes) {
    std::set<std::uint16_t> devices;
    for (const run::DeviceActivity& activity : process.activities) devices.insert(activity.device);
    if (devices.empty()) continue;
    const bool trains = lane && lane->pid == pid;
    const HostTimeline host(process, *timeline.names,
                            trains ? std::optional(lane->lane) : std::nullopt);
    const std::span<const Step> whole =
        trains ? traced_steps(process, host, steps) : std::span<const Step>();
    std::optional<run::FreeWorkReport> free_work;
    if (!trains || steps.empty() || !whole.empty()) {
      free_work = measure_free_work(process, *timeline.names, host, whole);
    }
    for (const std::uint16_t device : devices) {
      run::KernelTraceReport report = measure_device(process, *timeline.names, host, device, whole);
      report.free_work = free_work;
      traces.devices.emplace(device, std::move(report));
    }
    if (trains) traces.phases = traced_phases(process, *timeline.names, host, lane->lane, steps);
  }
  return traces;
}

}  // namespace flatout::analyse
