// What the devices did: streams, arrows from launches, causes of idling.
#include <algorithm>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "analyse/kernels/device_busy_time.h"
#include "analyse/kernels/device_stream.h"
#include "analyse/kernels/idle_account.h"
#include "analyse/kernels/traced_process.h"
#include "app/perfetto_lanes.h"

namespace flatout::app {
namespace {

using run::DeviceActivity;

// A stream is a lane; of a damaged file with more of them, the rest are one.
constexpr std::size_t kMostStreams = 4096;

// As PyTorch's profiler calls them.
std::string_view activity_category(run::ActivityKind kind) {
  switch (kind) {
    case run::ActivityKind::kCopy:
      return "gpu_memcpy";
    case run::ActivityKind::kMemset:
      return "gpu_memset";
    case run::ActivityKind::kKernel:
      break;
  }
  return "kernel";
}

std::string copy_name(const DeviceActivity& copy) {
  const std::string_view host = copy.host_memory == run::HostMemory::kPageable ? "Pageable"
                                : copy.host_memory == run::HostMemory::kPinned ? "Pinned"
                                                                               : "Host";
  switch (copy.direction) {
    case run::CopyDirection::kHostToDevice:
      return "Memcpy HtoD (" + std::string(host) + " -> Device)";
    case run::CopyDirection::kDeviceToHost:
      return "Memcpy DtoH (Device -> " + std::string(host) + ")";
    case run::CopyDirection::kDeviceToDevice:
      return "Memcpy DtoD (Device -> Device)";
    case run::CopyDirection::kUnknown:
      break;
  }
  return "Memcpy";
}

// CUPTI names kernels alone; the rest is called as PyTorch's profiler does.
std::string activity_name(const DeviceActivity& activity, const run::NameTable& names) {
  const std::string_view name = names.at(activity.name);
  if (!name.empty() || activity.kind == run::ActivityKind::kKernel) return std::string(name);
  return activity.kind == run::ActivityKind::kMemset ? "Memset (Device)" : copy_name(activity);
}

// Which activity of each launch begins first: a CUDA graph's launch has many, and an arrow one end.
class FirstOfLaunches {
 public:
  explicit FirstOfLaunches(const run::Records<DeviceActivity>& activities) {
    for (const DeviceActivity& activity : activities) {
      if (activity.correlation != 0) launches_.push_back(activity.correlation);
    }
    std::ranges::sort(launches_);
    const auto rest = std::ranges::unique(launches_);
    launches_.erase(rest.begin(), rest.end());
    met_.resize(launches_.size());
  }
  // Of activities in order.
  bool is_first(std::uint64_t correlation) {
    const auto found = std::ranges::lower_bound(launches_, correlation);
    if (found == launches_.end() || *found != correlation) return false;
    const auto at = static_cast<std::size_t>(found - launches_.begin());
    const bool first = !met_[at];
    met_[at] = true;
    return first;
  }

 private:
  std::vector<std::uint64_t> launches_;
  std::vector<bool> met_;
};

std::string device_label(std::uint16_t device) { return "GPU " + std::to_string(device); }

std::optional<analyse::StepThread> step_thread(const PerfettoFile& file, pid_t pid) {
  if (file.trains(pid)) {
    return analyse::StepThread{.lane = file.steps()->lane,
                               .first_step_ns = file.first_step_ns(),
                               .evaluations = file.evaluations()};
  }
  const auto other = std::ranges::find(file.others(), pid, &analyse::TracedLane::pid);
  if (other == file.others().end()) return std::nullopt;
  return analyse::step_thread(*other);
}

// Of one process.
class DeviceLanes {
 public:
  DeviceLanes(PerfettoFile& file, pid_t pid, const run::ProcessTrack& process, std::string whose)
      : file_(file),
        pid_(pid),
        process_(process),
        whose_(std::move(whose)),
        host_(process, *file.timeline().names, step_thread(file, pid)) {}

  // `arrows`: number of the first one.
  void write(std::uint64_t arrows) {
    FirstOfLaunches first(process_.activities);
    for (const DeviceActivity& activity : process_.activities) {
      if (file_.out().failed()) return;
      const report::TraceLane lane = lane_of(activity);
      write_activity(activity, lane);
      if (first.is_first(activity.correlation)) write_arrow(activity, lane, arrows);
    }
  }

 private:
  report::TraceLane lane_of(const DeviceActivity& activity) {
    std::pair<std::uint16_t, std::optional<std::uint64_t>> key(activity.device,
                                                               analyse::device_stream(activity));
    if (streams_.size() >= kMostStreams && !streams_.contains(key)) key = {activity.device, {}};
    const std::uint16_t first =
        contexts_.try_emplace(activity.device, activity.context).first->second;
    return streams_[key].of(activity.begin_ns, activity.end_ns, [&](std::size_t row) {
      std::string stream = " other streams";
      if (key.second) stream = " stream " + std::to_string(activity.stream);
      if (key.second && activity.context != first) {
        stream += " of context " + std::to_string(activity.context);
      }
      return file_.lane(file_.device(key.first), row == 0 && key.second ? activity.stream : 0,
                        row_name(device_label(key.first) + stream + whose_, row), kFirstLane);
    });
  }

  void write_activity(const DeviceActivity& activity, report::TraceLane lane) {
    report::TraceJson& out = file_.out();
    out.span(lane, activity_category(activity.kind),
             activity_name(activity, *file_.timeline().names), activity.begin_ns, activity.end_ns)
        .arg("device", activity.device)
        .arg("stream", activity.stream);
    if (activity.correlation != 0) out.arg("correlation", activity.correlation);
    if (activity.bytes != DeviceActivity::kUnknownBytes) out.arg("bytes", activity.bytes);
    if (activity.context != 0) out.arg("context", activity.context);
    if (activity.graph == 0) return;
    out.arg("graph id", activity.graph);
    // As CUPTI numbers it.
    out.arg("graph node id", std::uint64_t{activity.graph} << 32 | activity.graph_node);
  }

  // A launch behind its kernel is by a clock that is off, and no arrow.
  void write_arrow(const DeviceActivity& activity, report::TraceLane lane, std::uint64_t arrows) {
    const auto launch = host_.launch(activity.correlation);
    if (!launch || launch->begin_ns > activity.begin_ns) return;
    file_.out().arrow(arrows + activity.correlation, file_.thread(pid_, launch->lane),
                      launch->begin_ns, lane, activity.begin_ns);
  }

  PerfettoFile& file_;
  pid_t pid_;
  const run::ProcessTrack& process_;
  std::string whose_;
  analyse::HostTimeline host_;
  // By device and stream of its context; the rest of a device's are one.
  std::map<std::pair<std::uint16_t, std::optional<std::uint64_t>>, RowLanes<NestedRows>> streams_;
  std::map<std::uint16_t, std::uint16_t> contexts_;  // the first of each device, which is not named
};

// Why a device idled, on a lane of its own, and on another one in which times that is known.
class IdleLane final : public analyse::TracedDeviceSink {
 public:
  // `in_parts`: only some times are known; they are shown, too.
  IdleLane(PerfettoFile& file, std::uint16_t device, std::string whose, bool in_parts)
      : file_(file),
        device_(device),
        whose_(std::move(whose)),
        in_parts_(in_parts),
        account_(no_host_, [this](const analyse::IdlePiece& piece) { write(piece); }),
        busy_(*file.timeline().names,
              [this](const analyse::DeviceGap& gap) { account_.add(gap); }) {}

  void begin(const analyse::HostTimeline& host, const analyse::TimeWindow& known) override {
    host_known_ = !host.empty();
    if (in_parts_ && !file_.out().failed()) {
      file_.out().span(traced_lane(), kTracedCategory, "traced", known.begin_ns, known.end_ns);
    }
    account_.set_host(host, known.begin_ns);
    busy_.begin(known);
  }
  void add(const DeviceActivity& activity) override { busy_.add(activity); }
  void end() override { busy_.end(); }

 private:
  void write(const analyse::IdlePiece& piece) {
    if (!host_known_ || file_.out().failed()) return;  // then no cause is known
    if (!lane_) {
      lane_ =
          file_.lane(file_.device(device_), 0, device_label(device_) + " idle" + whose_, kLastLane);
    }
    const std::string_view cause = run::idle_cause_name(piece.cause);
    file_.out()
        .span(*lane_, kIdleCategory, "idle: " + std::string(cause), piece.begin_ns, piece.end_ns)
        .arg("cause", cause);
  }

  report::TraceLane traced_lane() {
    if (!traced_lane_) {
      traced_lane_ = file_.lane(file_.device(device_), 0,
                                device_label(device_) + " traced" + whose_, kLastLane + 1);
    }
    return *traced_lane_;
  }

  PerfettoFile& file_;
  std::uint16_t device_;
  std::string whose_;
  bool in_parts_;
  std::optional<report::TraceLane> lane_, traced_lane_;
  bool host_known_ = false;
  analyse::HostTimeline no_host_;
  analyse::IdleAccount account_;
  analyse::DeviceBusyMeter busy_;
};

void write_idle(PerfettoFile& file, pid_t pid, const run::ProcessTrack& process,
                const std::string& whose) {
  const analyse::TracedProcess traced(process, *file.timeline().names, step_thread(file, pid));
  const bool in_parts = traced.longest_window().begin_ns != analyse::kAllTime.begin_ns;
  std::map<std::uint16_t, std::unique_ptr<IdleLane>> lanes;
  traced.each(analyse::kAllTime, [&](std::uint16_t device) -> analyse::TracedDeviceSink& {
    auto& lane = lanes[device];
    if (!lane) lane = std::make_unique<IdleLane>(file, device, whose, in_parts);
    return *lane;
  });
}

}  // namespace

void write_devices(PerfettoFile& file) {
  if (!file.timeline().names) return;
  std::uint64_t processes = 0;
  for (const auto& [pid, process] : file.timeline().processes) {
    if (process.activities.empty()) continue;
    // Launches are numbered in each process; the first one's keep their numbers.
    const std::string whose = processes == 0 ? "" : " of process " + std::to_string(pid);
    DeviceLanes(file, pid, process, whose).write(processes++ << 40U);
    write_idle(file, pid, process, whose);
  }
}

}  // namespace flatout::app
