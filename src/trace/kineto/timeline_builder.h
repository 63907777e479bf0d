// Makes a Timeline of the events of PyTorch's profiler: what devices did, what the host's threads
// did, and on the thread that trains the phases and steps that its names stand for.
//
// Steps are the profiler's own ("ProfilerStep#3") where it marked them, else they end as those of a
// run do, by the optimizer's updates. Times of the trace stay what they are; it has no other clock.
// Memory: kMostRecords of 48 bytes, and kMostNameBytes of names; what is beyond is left out and
// said.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "run/timeline.h"
#include "trace/chrome/event.h"

namespace flatout::trace {

class TimelineBuilder : public ChromeSink {
 public:
  static constexpr std::size_t kMostRecords = 40'000'000;
  static constexpr std::size_t kMostNameBytes = std::size_t{256} << 20;
  static constexpr std::size_t kMostLanes = 4096;

  bool event(const ChromeEvent& event) override;
  void device(const ChromeDevice& device) override;
  void process(const ChromeProcess& process) override { said_ = process; }

  // What was read, sorted. `name` is the file's. Once.
  run::Timeline take(const std::string& name);

 private:
  struct HostProcess {
    std::vector<run::HostSpan> spans;
    std::map<std::string, std::uint16_t, std::less<>> lane_of;  // by the thread as written
    std::vector<run::Lane> lanes;
    std::size_t calls = 0;
  };

  void add_activity(const ChromeEvent& event, run::ActivityKind kind);
  void add_span(const ChromeEvent& event, run::HostSpanKind kind);
  std::optional<std::uint16_t> lane(HostProcess& process, const TrackId& thread);
  pid_t main_process() const;
  std::int64_t first_ns() const;
  std::int64_t last_ns() const;
  run::ProcessTrack track_of(pid_t pid, HostProcess& process) const;

  std::shared_ptr<run::NameTable> names_ = std::make_shared<run::NameTable>();
  std::map<pid_t, HostProcess> processes_;
  std::vector<run::DeviceActivity> activities_;
  std::map<int, run::Device> devices_;
  ChromeProcess said_;
  std::size_t records_ = 0;
  std::size_t misplaced_ = 0;  // without a time, a device or a process
};

}  // namespace flatout::trace
