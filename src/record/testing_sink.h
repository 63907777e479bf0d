// A RunSink that keeps all of it in memory. For tests only.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "run/timeline.h"

namespace flatout::record {

struct MemorySink final : run::RunSink {
  using Done = base::Result<void>;
  Done begin(const run::RunInfo& info) override {
    return keep([&] { timeline.info = info; });
  }
  Done proc(const run::Proc& proc) override {
    return keep([&] {
      timeline.processes[proc.pid].proc = proc;
      procs.push_back(proc);
    });
  }
  Done lane(pid_t pid, const run::Lane& lane) override {
    return keep([&] { timeline.processes[pid].lanes.push_back(lane); });
  }
  Done phases(pid_t pid, std::span<const run::PhaseEvent> events) override {
    return append(timeline.processes[pid].phases.own(), events);
  }
  Done batches(pid_t pid, std::span<const run::Batch> batches) override {
    return append(timeline.processes[pid].batches.own(), batches);
  }
  Done device_phases(pid_t pid, std::span<const run::DevicePhase> phases) override {
    return append(timeline.processes[pid].device_phases.own(), phases);
  }
  Done fact(pid_t pid, const run::Fact& fact) override {
    return keep([&] { timeline.processes[pid].facts.push_back(fact); });
  }
  Done values(pid_t pid, std::span<const run::NamedValue> values) override {
    return append(timeline.processes[pid].values.own(), values);
  }
  Done trace_names(pid_t pid, std::span<const run::TraceName> names) override {
    return keep([&] {
      if (!names_) timeline.names = names_ = std::make_shared<run::NameTable>();
      for (const auto& name : names) {
        names_->set(name.number, name.text);
        timeline.processes[pid].ring_names[name.in_ring] = name.number;
      }
    });
  }
  Done activities(pid_t pid, std::span<const run::DeviceActivity> activities) override {
    return append(timeline.processes[pid].activities.own(), activities);
  }
  Done host_spans(pid_t pid, std::span<const run::HostSpan> spans) override {
    return append(timeline.processes[pid].host_spans.own(), spans);
  }
  Done trace_windows(pid_t pid, std::span<const run::TraceWindow> windows) override {
    return append(timeline.processes[pid].trace_windows.own(), windows);
  }
  Done device(const run::Device& device) override {
    return keep([&] { timeline.devices[device.index] = device; });
  }
  Done samples(std::span<const run::Sample> all) override { return append(sampled, all); }
  Done counts(const run::RingCounts& counts) override {
    return keep([&] { timeline.counts = counts; });
  }
  Done end(const run::RunEnd& end) override {
    return keep([&] { timeline.end = end; });
  }
  Done flush() override {
    return keep([&] { ++flushes; });
  }

  run::Timeline timeline;
  std::vector<run::Proc> procs;  // every one that was written
  std::vector<run::Sample> sampled;
  int flushes = 0;
  std::string failure;  // not empty: every call fails with it

 private:
  std::shared_ptr<run::NameTable> names_;
  template <typename Keep>
  Done keep(Keep&& change) {
    if (!failure.empty()) return base::fail(base::ErrorCode::kIo, failure);
    change();
    return {};
  }
  template <typename Item>
  Done append(std::vector<Item>& to, std::span<const Item> items) {
    return keep([&] { to.insert(to.end(), items.begin(), items.end()); });
  }
};

}  // namespace flatout::record
