#include "analyse/kernels/traced_process.h"

#include <algorithm>

namespace flatout::analyse {
namespace {

TimeWindow common(const TimeWindow& a, const TimeWindow& b) {
  return {std::max(a.begin_ns, b.begin_ns), std::min(a.end_ns, b.end_ns)};
}

}  // namespace

TracedProcess::TracedProcess(const run::ProcessTrack& process, const run::NameTable& names,
                             std::optional<StepThread> thread)
    : process_(process), names_(names), thread_(thread), windows_(traced_windows(process)) {
  for (const run::DeviceActivity& activity : process.activities) {
    const auto [known, fresh] =
        devices_.try_emplace(activity.device, TimeWindow{activity.begin_ns, activity.end_ns});
    known->second.end_ns = std::max(known->second.end_ns, activity.end_ns);
  }
  if (const auto until_ns = known_until(process)) {
    for (auto& [device, known] : devices_) known.end_ns = std::min(known.end_ns, *until_ns);
  }
  if (!known_in_windows(process, windows_.size())) windows_ = {kAllTime};
  phases_ = std::make_shared<const HostPhases>();
  if (devices_.empty()) return;
  const bool all = windows_.front().begin_ns == kAllTime.begin_ns;
  const auto windows = all ? std::span<const TimeWindow>() : std::span(windows_);
  sites_ = std::make_shared<const WaitSpans>(process, windows);
  if (thread_) phases_ = std::make_shared<const HostPhases>(process, *thread_, windows);
}

TimeWindow TracedProcess::longest_window() const {
  if (windows_.size() == 1) return windows_.front();  // kAllTime, which has no length
  return *std::ranges::max_element(
      windows_, {}, [](const TimeWindow& window) { return window.end_ns - window.begin_ns; });
}

bool TracedProcess::each(const TimeWindow& clip, const SinkOf& sink) const {
  bool host_known = false;
  std::map<std::uint16_t, KnownTime> known;
  for (const auto& [device, all] : devices_) known.emplace(device, KnownTime(all));
  const bool whole = windows_.front().begin_ns == kAllTime.begin_ns;
  for (const TimeWindow& window : windows_) {
    if (window.end_ns <= clip.begin_ns || window.begin_ns >= clip.end_ns) continue;
    const HostTimeline host(process_, names_, thread_, phases_, window, sites_);
    host_known = !host.empty() || host_known;
    each_device(window, host, clip, whole ? nullptr : &known, sink);
  }
  return host_known;
}

void TracedProcess::each_device(const TimeWindow& window, const HostTimeline& host,
                                const TimeWindow& clip, std::map<std::uint16_t, KnownTime>* known,
                                const SinkOf& sink) const {
  for (const auto& [device, all] : devices_) {
    const TimeWindow mine =
        common(clip, known != nullptr ? known->at(device).of(window, process_, host, device) : all);
    if (mine.begin_ns >= mine.end_ns) continue;
    TracedDeviceSink& to = sink(device);
    to.begin(host, mine);
    for (const run::DeviceActivity& activity :
         process_.activities.between(window.begin_ns, window.end_ns)) {
      if (activity.begin_ns >= mine.end_ns) break;
      if (activity.device == device) to.add(activity);
    }
    to.end();
  }
}

}  // namespace flatout::analyse
