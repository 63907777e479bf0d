// A kernel trace of one process and one device, written down in microseconds.
#pragma once

#include <algorithm>
#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "analyse/kernels/kernel_trace.h"
#include "run/timeline.h"

namespace flatout::analyse {

class KernelTrace {
 public:
  KernelTrace& span(run::HostSpanKind kind, const std::string& name, std::int64_t begin,
                    std::int64_t end, std::uint16_t lane = 0) {
    host_.push_back({begin * 1000, end * 1000, 0, names_->add(name), lane, kind});
    return *this;
  }
  // A call at [at, at + us), and its number for what it launches.
  std::uint64_t call(std::int64_t at, std::int64_t us = 5,
                     const std::string& name = "cudaLaunchKernel", std::uint16_t lane = 0) {
    ++correlation_;
    host_.push_back({at * 1000, (at + us) * 1000, correlation_, names_->add(name), lane,
                     run::HostSpanKind::kCall});
    return correlation_;
  }
  // A call at [call_at, call_at + us) that launches a kernel at [begin, end).
  KernelTrace& launch(std::int64_t call_at, std::int64_t begin, std::int64_t end,
                      std::int64_t us = 5, const std::string& name = "cudaLaunchKernel",
                      std::uint16_t lane = 0) {
    return kernel(begin, end, call(call_at, us, name, lane));
  }
  KernelTrace& kernel(std::int64_t begin, std::int64_t end, std::uint64_t correlation = 0,
                      const std::string& name = "k", std::uint32_t stream = 7) {
    run::DeviceActivity activity;
    activity.begin_ns = begin * 1000;
    activity.end_ns = end * 1000;
    activity.correlation = correlation;
    activity.name = names_->add(name);
    activity.stream = stream;
    activities_.push_back(activity);
    return *this;
  }
  // Of the kernel before.
  KernelTrace& in_context(std::uint16_t context) {
    activities_.back().context = context;
    return *this;
  }
  KernelTrace& in_graph(std::uint32_t graph) {
    activities_.back().graph = graph;
    return *this;
  }
  KernelTrace& copy(std::int64_t begin, std::int64_t end, std::uint64_t bytes) {
    kernel(begin, end, 0, "Memcpy HtoD (Pageable -> Device)");
    activities_.back().kind = run::ActivityKind::kCopy;
    activities_.back().direction = run::CopyDirection::kHostToDevice;
    activities_.back().host_memory = run::HostMemory::kPageable;
    activities_.back().bytes = bytes;
    return *this;
  }
  KernelTrace& phase(run::Phase phase, std::int64_t begin, std::int64_t end) {
    phases_.push_back({.t_ns = begin * 1000, .phase = phase, .begin = true});
    phases_.push_back({.t_ns = end * 1000, .phase = phase});
    return *this;
  }

  // The end of a step, as the profiler marks it.
  KernelTrace& step(std::int64_t end) {
    phases_.push_back({.t_ns = end * 1000, .flags = run::kMarked, .phase = run::Phase::kStep});
    return *this;
  }

  // Of a run of flatout's own: a time in which it was traced.
  KernelTrace& window(std::int64_t begin, std::int64_t end) {
    windows_.push_back({.begin_ns = begin * 1000, .end_ns = end * 1000});
    return *this;
  }

  // As recorded in its windows: of what was launched in one, all.
  run::Timeline run_timeline() const {
    run::Timeline run = timeline();
    run.info.trace_file = "";
    run::ProcessTrack& process = run.processes.at(1);
    const auto traced = [this](std::int64_t t_ns) {
      return std::ranges::any_of(windows_, [t_ns](const run::TraceWindow& window) {
        return window.begin_ns <= t_ns && t_ns < window.end_ns;
      });
    };
    std::erase_if(process.host_spans.own(),
                  [&](const run::HostSpan& span) { return !traced(span.begin_ns); });
    std::erase_if(process.activities.own(), [&](const run::DeviceActivity& activity) {
      return std::ranges::none_of(process.host_spans, [&](const run::HostSpan& span) {
        return span.correlation == activity.correlation;
      });
    });
    process.trace_windows = windows_;
    return run;
  }

  run::Timeline timeline() const {
    run::Timeline timeline;
    timeline.names = names_;
    timeline.info.trace_file = "trace.json";
    timeline.state = run::RunState::kFinished;
    run::ProcessTrack& process = timeline.processes[1];
    process.proc.pid = 1;
    process.lanes = {{.lane = 0, .tid = 1, .is_main = true}};
    std::vector<run::HostSpan> host = host_;
    std::ranges::stable_sort(host, [](const auto& a, const auto& b) {
      return a.begin_ns != b.begin_ns ? a.begin_ns < b.begin_ns : a.end_ns > b.end_ns;
    });
    std::vector<run::DeviceActivity> activities = activities_;
    run::sort_by_time(activities);
    process.host_spans = host;
    process.activities = activities;
    process.phases = phases_;
    for (const run::DeviceActivity& activity : activities) {
      timeline.last_ns = std::max(timeline.last_ns, activity.end_ns);
    }
    return timeline;
  }

  run::KernelTraceReport report() const {
    return measure_kernel_trace(timeline(), TracedLane{.pid = 1, .first_step_ns = {}}, {})
        .devices.at(0);
  }

  // Microseconds of each cause that has some.
  std::map<std::string, int> causes() const {
    const run::KernelTraceReport traced = report();
    std::map<std::string, int> out;
    for (std::size_t cause = 0; cause < run::kIdleCauses; ++cause) {
      const double share = traced.idle_account->shares[cause];
      const auto us = static_cast<int>(share * traced.window_ms * 1000 + 0.5);
      if (us != 0) out[std::string(run::kIdleCauseNames[cause])] = us;
    }
    return out;
  }

 private:
  std::shared_ptr<run::NameTable> names_ = std::make_shared<run::NameTable>();
  std::vector<run::HostSpan> host_;
  std::vector<run::DeviceActivity> activities_;
  std::vector<run::PhaseEvent> phases_;
  std::vector<run::TraceWindow> windows_;
  std::uint64_t correlation_ = 0;
};

}  // namespace flatout::analyse
