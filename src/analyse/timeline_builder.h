// Synthetic timelines for the tests of analyse. Time is a cursor in
// milliseconds that every call moves on; nothing here reads a clock.
#pragma once

#include <cmath>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "run/facts.h"
#include "run/timeline.h"

namespace flatout::analyse {

constexpr std::int64_t ns(double ms) { return static_cast<std::int64_t>(ms * 1e6); }

// Writes the events of one lane.
class LaneScript {
 public:
  explicit LaneScript(double start_ms = 0, std::uint16_t lane = 0)
      : now_(ns(start_ms)), lane_(lane) {}

  LaneScript& idle(double ms) {
    now_ += ns(ms);
    return *this;
  }
  LaneScript& begin(run::Phase phase, std::uint32_t flags = 0, std::uint32_t id = 0,
                    std::uint64_t value = 0) {
    events_.push_back({now_, value, flags, id, lane_, phase, true});
    return *this;
  }
  LaneScript& end(run::Phase phase, std::uint32_t flags = 0, std::uint32_t id = 0,
                  std::uint64_t value = 0) {
    events_.push_back({now_, value, flags, id, lane_, phase, false});
    return *this;
  }
  LaneScript& span(run::Phase phase, double ms, std::uint32_t flags = 0) {
    return begin(phase, flags).idle(ms).end(phase);
  }
  LaneScript& draw(std::uint32_t id, double ms, std::uint64_t samples = 32, bool grad = true) {
    begin(run::Phase::kDataWait, grad ? run::kGradEnabled : 0, id).idle(ms);
    return end(run::Phase::kDataWait, 0, id, samples);
  }
  LaneScript& exhaust(std::uint32_t id, double ms, bool grad = true) {
    begin(run::Phase::kDataWait, grad ? run::kGradEnabled : 0, id).idle(ms);
    return end(run::Phase::kDataWait, run::kExhausted, id);
  }
  LaneScript& build(std::uint32_t id, double ms) {
    begin(run::Phase::kIterBuild).idle(ms);
    return end(run::Phase::kIterBuild, 0, id);
  }
  LaneScript& forward(double ms, std::uint64_t samples = 0) {
    begin(run::Phase::kForward, run::kGradEnabled | run::kTrainingMode, 0, samples).idle(ms);
    return end(run::Phase::kForward);
  }
  LaneScript& eval_forward(double ms, std::uint32_t flags = 0) {
    return span(run::Phase::kForward, ms, flags);
  }
  // forward, backward and optimizer in the ratio 3 : 6 : 1.
  LaneScript& train(double ms) {
    forward(0.3 * ms).span(run::Phase::kBackward, 0.6 * ms);
    return span(run::Phase::kOptimizer, 0.1 * ms);
  }

  std::int64_t now_ns() const { return now_; }
  const std::vector<run::PhaseEvent>& events() const { return events_; }

 private:
  std::int64_t now_;
  std::uint16_t lane_;
  std::vector<run::PhaseEvent> events_;
};

// A run of one training process (pid 100) on a machine of 4 CPUs.
class TimelineBuilder {
 public:
  static constexpr pid_t kPid = 100;

  TimelineBuilder() {
    timeline_.info.id = "test";
    timeline_.info.command = {"python", "train.py"};
    timeline_.info.cpus = 4;
    timeline_.info.started_ns = ns(100);
    timeline_.info.cpu_model = "Test CPU";
    process(kPid, run::ProcRole::kMain);
    fact(kPid, run::facts::kEnvironment, R"({"torch":"2.13.0","device":"cpu"})");
  }

  run::ProcessTrack& process(pid_t pid, run::ProcRole role) {
    run::ProcessTrack& track = timeline_.processes[pid];
    track.proc.pid = pid;
    track.proc.role = role;
    return track;
  }
  TimelineBuilder& lane(const LaneScript& script, pid_t pid = kPid) {
    run::ProcessTrack& track = timeline_.processes[pid];
    std::vector<run::PhaseEvent>& phases = track.phases.own();
    phases.insert(phases.end(), script.events().begin(), script.events().end());
    std::ranges::stable_sort(phases, {}, &run::PhaseEvent::t_ns);
    if (!script.events().empty()) {
      track.lanes.push_back({script.events().front().lane, pid, script.events().front().lane == 0});
    }
    timeline_.last_ns = std::max(timeline_.last_ns, script.now_ns());
    return *this;
  }
  TimelineBuilder& fact(pid_t pid, std::string_view key, std::string json) {
    timeline_.processes[pid].facts.push_back({0, std::string(key), std::move(json)});
    return *this;
  }
  TimelineBuilder& loader(int workers, std::uint32_t loader_id = 1) {
    return fact(kPid, run::facts::kLoader,
                R"({"loader":)" + std::to_string(loader_id) + R"(,"workers":)" +
                    std::to_string(workers) +
                    R"(,"batch_size":32,"prefetch_factor":2,"built_at":"/src/train.py:41"})");
  }
  // Iterator of loader 1 whose workers are pids 200, 201, ...
  TimelineBuilder& iterator(std::uint32_t id, int workers, std::uint32_t loader_id = 1) {
    std::string pids;
    for (int w = 0; w < workers; ++w) {
      process(200 + w, run::ProcRole::kWorker).proc.worker_id = w;
      pids += (w > 0 ? "," : "") + std::to_string(200 + w);
    }
    return fact(kPid, run::facts::kIterator,
                R"({"iterator":)" + std::to_string(id) + R"(,"loader":)" +
                    std::to_string(loader_id) + R"(,"worker_pids":[)" + pids + "]}");
  }
  TimelineBuilder& batch(pid_t pid, run::Batch batch) {
    timeline_.processes[pid].batches.push_back(std::move(batch));
    return *this;
  }
  // A constant metric from 0 to the end of what was scripted so far, 10 Hz.
  TimelineBuilder& series(run::Metric metric, std::int32_t source, double value) {
    auto& points = timeline_.series[{metric, source}];
    for (std::int64_t t = ns(100); t <= timeline_.last_ns; t += ns(100))
      points.push_back({t, value});
    return *this;
  }

  run::Timeline& timeline() { return timeline_; }
  const run::Timeline& timeline() const { return timeline_; }

 private:
  run::Timeline timeline_;
};

}  // namespace flatout::analyse
