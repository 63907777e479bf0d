#include "analyse/kernels/idle_pieces.h"

#include <algorithm>
#include <map>
#include <memory>
#include <optional>
#include <utility>

#include "analyse/kernels/device_busy_time.h"
#include "analyse/kernels/traced_lanes.h"
#include "analyse/kernels/traced_process.h"

namespace flatout::analyse {
namespace {

class PieceTaker final : public TracedDeviceSink {
 public:
  PieceTaker(DeviceIdle of, const run::NameTable& names, std::size_t most)
      : found_(std::move(of)),
        most_(most),
        account_(no_host_, [this](const IdlePiece& piece) { take(piece); }),
        busy_(names, [this](const DeviceGap& gap) { account_.add(gap); }) {}

  void begin(const HostTimeline& host, const TimeWindow& known) override {
    skipped_ = host.empty() || found_.pieces.size() >= most_;
    if (skipped_) return;
    found_.known.push_back(known);
    account_.set_host(host, known.begin_ns);
    busy_.begin(known);
  }
  void add(const run::DeviceActivity& activity) override {
    if (!skipped_) busy_.add(activity);
  }
  void end() override {
    if (!skipped_) busy_.end();
  }
  DeviceIdle taken() { return std::move(found_); }

 private:
  void take(const IdlePiece& piece) {
    if (found_.pieces.size() >= most_) return;
    found_.pieces.push_back(piece);
    if (found_.pieces.size() == most_) found_.known.back().end_ns = piece.end_ns;
  }

  DeviceIdle found_;
  std::size_t most_;
  bool skipped_ = false;
  HostTimeline no_host_;
  IdleAccount account_;
  DeviceBusyMeter busy_;
};

}  // namespace

std::vector<DeviceIdle> idle_pieces(const run::Timeline& timeline, std::size_t most) {
  std::vector<DeviceIdle> all;
  if (!timeline.names) return all;
  const std::vector<TracedLane> lanes = traced_lanes(timeline);
  for (const auto& [pid, process] : timeline.processes) {
    if (process.activities.empty()) continue;
    const auto lane = std::ranges::find(lanes, pid, &TracedLane::pid);
    const TracedProcess traced(
        process, *timeline.names,
        lane == lanes.end() ? std::nullopt : std::optional(step_thread(*lane)));
    std::map<std::uint16_t, std::unique_ptr<PieceTaker>> takers;
    traced.each(kAllTime, [&](std::uint16_t device) -> TracedDeviceSink& {
      auto& taker = takers[device];
      if (!taker) {
        taker = std::make_unique<PieceTaker>(
            DeviceIdle{.pid = pid, .device = device, .known = {}, .pieces = {}}, *timeline.names,
            most);
      }
      return *taker;
    });
    for (auto& [device, taker] : takers) {
      DeviceIdle found = taker->taken();
      if (!found.known.empty()) all.push_back(std::move(found));
    }
  }
  std::ranges::stable_partition(
      all, [&](const DeviceIdle& one) { return !lanes.empty() && one.pid == lanes.front().pid; });
  return all;
}

}  // namespace flatout::analyse
