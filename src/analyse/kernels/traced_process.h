// The kernel trace of one process, gone over window by window: of what a run's windows hold, that
// of one is in memory at a time.
#pragma once

#include <cstdint>
#include <functional>
#include <limits>
#include <map>
#include <memory>
#include <optional>
#include <vector>

#include "analyse/kernels/host_timeline.h"
#include "analyse/kernels/traced_windows.h"
#include "run/timeline.h"

namespace flatout::analyse {

constexpr TimeWindow kAllTime{std::numeric_limits<std::int64_t>::min(),
                              std::numeric_limits<std::int64_t>::max()};

// Whoever goes over a device's traced time; gets one device's calls of each window together.
class TracedDeviceSink {
 public:
  virtual ~TracedDeviceSink() = default;
  virtual void begin(const HostTimeline& host, const TimeWindow& known) = 0;
  // In order of begin; some lie beyond `known`.
  virtual void add(const run::DeviceActivity& activity) = 0;
  virtual void end() = 0;
};

class TracedProcess {
 public:
  // The Timeline must outlive it.
  TracedProcess(const run::ProcessTrack& process, const run::NameTable& names,
                std::optional<StepThread> thread);

  // Those with an activity, and the time from its first to its last, or to known_until().
  const std::map<std::uint16_t, TimeWindow>& devices() const { return devices_; }
  const run::FactList& facts() const { return process_.facts; }
  // The longest window, kAllTime of a trace as a whole; and the host in it.
  TimeWindow longest_window() const;
  HostTimeline host(const TimeWindow& window) const {
    return {process_, names_, thread_, phases_, window, sites_};
  }
  // Of the traced time within `clip`, the parts in which all is known of each device. Whether
  // anything is known of the host.
  using SinkOf = std::function<TracedDeviceSink&(std::uint16_t device)>;
  bool each(const TimeWindow& clip, const SinkOf& sink) const;

 private:
  void each_device(const TimeWindow& window, const HostTimeline& host, const TimeWindow& clip,
                   std::map<std::uint16_t, KnownTime>* known, const SinkOf& sink) const;

  const run::ProcessTrack& process_;
  const run::NameTable& names_;
  std::optional<StepThread> thread_;
  std::vector<TimeWindow> windows_;
  std::shared_ptr<const HostPhases> phases_;
  std::shared_ptr<const WaitSpans> sites_;
  std::map<std::uint16_t, TimeWindow> devices_;
};

}  // namespace flatout::analyse
