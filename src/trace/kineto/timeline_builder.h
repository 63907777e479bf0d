// Makes a Timeline of the events of PyTorch's profiler: what devices did, what the host's threads
// did, and on the thread that trains the phases and steps that its names stand for.
//
// Steps are the profiler's own ("ProfilerStep#3") where it marked them, else they end as those of a
// run do, by the optimizer's updates. Bounds are those of TraceParts.
#pragma once

#include <cstdint>
#include <string>

#include "run/timeline.h"
#include "trace/chrome/event.h"
#include "trace/kineto/op_costs.h"
#include "trace/kineto/unread_events.h"
#include "trace/trace_parts.h"

namespace flatout::trace {

class TimelineBuilder : public ChromeSink {
 public:
  bool event(const ChromeEvent& event) override;
  void device(const ChromeDevice& device) override;
  void process(const ChromeProcess& process) override;

  void keep_within(std::int64_t bytes) { parts_.keep_within(bytes); }

  // False: no event so far stands for anything in a Timeline.
  bool has_read() const { return has_read_; }
  const UnreadEvents& unread() const { return unread_; }

  // What was read, sorted. `name` is the file's. Once.
  run::Timeline take(const std::string& name) {
    parts_.set_op_costs(costs_.take());
    return parts_.take(name);
  }

 private:
  void add_activity(const ChromeEvent& event, run::ActivityKind kind);
  void add_collective(const ChromeCollective& said, const run::DeviceActivity& kernel);
  void add_span(const ChromeEvent& event, run::HostSpanKind kind);
  void add_op_work(const ChromeEvent& event);
  void add_memory(const ChromeEvent& event);

  TraceParts parts_;
  OpCosts costs_;
  UnreadEvents unread_;
  bool has_read_ = false;
};

}  // namespace flatout::trace
