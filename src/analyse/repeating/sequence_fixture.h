// Made-up programs: what their device does, activity after activity, each 10 us long.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "run/timeline.h"

namespace flatout::analyse {

class DeviceProgram {
 public:
  static constexpr std::int64_t kActivityNs = 10'000;

  DeviceProgram& kernel(const std::string& name, std::uint32_t stream = 7,
                        std::uint16_t context = 1) {
    run::DeviceActivity activity;
    activity.begin_ns = now_ns_;
    activity.end_ns = now_ns_ += kActivityNs;
    activity.name = names_->add(name);
    activity.stream = stream;
    activity.context = context;
    activities_.push_back(activity);
    return *this;
  }
  DeviceProgram& copy(run::CopyDirection direction) {
    kernel("copy");
    activities_.back().kind = run::ActivityKind::kCopy;
    activities_.back().direction = direction;
    return *this;
  }
  DeviceProgram& to_device() { return copy(run::CopyDirection::kHostToDevice); }
  DeviceProgram& to_host() { return copy(run::CopyDirection::kDeviceToHost); }
  DeviceProgram& kernels(const std::string& name, int count) {
    for (int i = 0; i < count; ++i) kernel(name + std::to_string(i));
    return *this;
  }
  DeviceProgram& idle(std::int64_t us) {
    now_ns_ += us * 1000;
    return *this;
  }
  // The host waits for all that was launched, and goes on `us` later.
  DeviceProgram& wait(std::int64_t us) {
    waits_.push_back({.begin_ns = now_ns_ - kActivityNs,
                      .end_ns = now_ns_ + us * 500,
                      .name = names_->add("cudaDeviceSynchronize"),
                      .kind = run::HostSpanKind::kCall});
    return idle(us);
  }
  // The host waits for what came before the last kernel, which still runs.
  DeviceProgram& wait_for_older() {
    waits_.push_back({.begin_ns = now_ns_ - kActivityNs,
                      .end_ns = now_ns_ - kActivityNs / 2,
                      .name = names_->add("cudaEventSynchronize"),
                      .kind = run::HostSpanKind::kCall});
    return *this;
  }
  // A step begins here, by the program's own word.
  DeviceProgram& mark() {
    marks_ns_.push_back(now_ns_);
    return *this;
  }
  std::int64_t now_ns() const { return now_ns_; }
  const std::vector<std::int64_t>& marks_ns() const { return marks_ns_; }

  run::Timeline timeline() const {
    run::Timeline timeline;
    timeline.names = names_;
    timeline.info.trace_file = "trace.json";
    timeline.state = run::RunState::kFinished;
    timeline.last_ns = now_ns_;
    run::ProcessTrack& process = timeline.processes[1];
    process.proc.pid = 1;
    process.activities = activities_;
    process.host_spans = waits_;
    return timeline;
  }

 private:
  std::shared_ptr<run::NameTable> names_ = std::make_shared<run::NameTable>();
  std::vector<run::DeviceActivity> activities_;
  std::vector<run::HostSpan> waits_;
  std::vector<std::int64_t> marks_ns_;
  std::int64_t now_ns_ = 0;
};

}  // namespace flatout::analyse
