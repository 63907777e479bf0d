#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <span>
#include <utility>
#include <vector>

#include "app/run_info.h"
#include "app/watch/watch.h"
#include "app/watch/watched_of.h"
#include "app/watch/window.h"
#include "base/process.h"
#include "collect/devices.h"
#include "collect/limits.h"
#include "collect/process_tree.h"
#include "collect/sources.h"
#include "host/cpus.h"
#include "launch/secrets.h"

namespace flatout::app {
namespace {

constexpr pid_t kKernelThreads = 2;

// Sources that cost more than `top` may for what it does not show.
bool is_wanted(std::string_view source) { return source != "pss" && source != "switches"; }

class ProcessesWatch final : public Watch {
 public:
  ProcessesWatch(base::ProcessId id, const base::Clock& clock)
      : id_(id), clock_(clock), tree_({}, options_of(id.pid, clock)) {
    const auto device_options =
        collect::device_options([](const char* name) { return std::getenv(name); });
    for (auto& source : collect::make_sources({}, tree_, &clock_)) {
      if (is_wanted(source->name())) sources_.push_back(std::move(source));
    }
    for (auto& source : collect::make_device_sources({}, tree_, device_options)) {
      sources_.push_back(std::move(source));
    }
    const collect::Limits limits = collect::read_limits({}, host::affinity_cpus());
    run::RunInfo& info = window_.timeline().info;
    info.host = host_name();
    info.cpus = id.pid == 0 ? static_cast<int>(::sysconf(_SC_NPROCESSORS_ONLN)) : limits.cpus;
    info.memory_bytes = limits.memory_bytes.value_or(0);
    info.started_ns = started_ns();
    read();  // rates need a first reading
  }

  run::Watched look() override {
    read();
    const base::TimeNs now = clock_.monotonic();
    window_.trim(now);
    run::Watched out = watched_of(window_.timeline(), now);
    out.silent_s.reset();
    out.kind = id_.pid == 0 ? run::WatchedKind::kMachine : run::WatchedKind::kProcess;
    out.pid = id_.pid;
    out.state.reset();
    if (id_.pid == 0) {
      out.hint = "record a training: flatout run -- python train.py";
      return out;
    }
    const auto root = window_.timeline().processes.find(id_.pid);
    if (root != window_.timeline().processes.end()) command_ = root->second.proc.command;
    out.command = command_;
    const bool alive = base::process_alive(id_);
    if (!alive && !gone_ns_) gone_ns_ = now;
    out.state = alive ? run::RunState::kRunning : run::RunState::kFinished;
    out.elapsed_s =
        static_cast<double>(gone_ns_.value_or(now) - window_.timeline().info.started_ns) / 1e9;
    out.hint = "no steps from outside: flatout run -- CMD; stack: py-spy dump --pid " +
               std::to_string(id_.pid);
    return out;
  }

 private:
  static collect::ProcessTreeOptions options_of(pid_t pid, const base::Clock& clock) {
    collect::ProcessTreeOptions options;
    options.clock = &clock;
    options.recorder = pid == 0 ? 0 : ::getpid();
    options.program = pid;
    if (pid == 0) options.exclude = {kKernelThreads};
    options.mask = [](const std::vector<std::string>& argv) { return launch::mask_secrets(argv); };
    return options;
  }

  // Of the machine: when watching began.
  base::TimeNs started_ns() const {
    if (id_.pid == 0) return clock_.monotonic();
    const auto ticks = static_cast<std::int64_t>(::sysconf(_SC_CLK_TCK));
    const std::int64_t since_boot = static_cast<std::int64_t>(id_.start_ticks) *
                                    (base::kSecond / std::max<std::int64_t>(1, ticks));
    // /proc counts from boot, with the time that the machine slept.
    const std::int64_t age = base::read_clock_ns(CLOCK_BOOTTIME) - since_boot;
    return clock_.monotonic() - std::max<std::int64_t>(0, age);
  }

  void read() {
    const base::TimeNs now = clock_.monotonic();
    (void)tree_.update(now, false);
    run::Timeline& timeline = window_.timeline();
    std::erase_if(sources_, [&](const std::unique_ptr<run::Source>& source) {
      const auto done = source->sample(now, window_);
      for (run::Device& device : source->take_devices()) {
        timeline.devices[device.index] = std::move(device);
      }
      for (std::string& note : source->take_notes()) {
        if (timeline.notes.size() < 20) timeline.notes.push_back(std::move(note));
      }
      return !done && done.error().code == base::ErrorCode::kUnavailable;
    });
    timeline.processes.clear();
    for (const auto& [pid, entry] : tree_.processes()) {
      run::Proc& proc = timeline.processes[pid].proc;
      proc.pid = pid;
      proc.parent = entry.seen.parent;
      proc.start_ticks = entry.seen.id.start_ticks;
      proc.seen_ns = entry.seen.first_seen_ns;
      proc.command = entry.seen.command;
    }
    timeline.last_ns = now;
  }

  base::ProcessId id_;
  const base::Clock& clock_;
  collect::ProcessTree tree_;
  std::vector<std::unique_ptr<run::Source>> sources_;
  Window window_;
  std::string command_;
  std::optional<base::TimeNs> gone_ns_;
};

}  // namespace

base::Result<std::unique_ptr<Watch>> watch_processes(pid_t pid, const base::Clock& clock) {
  base::ProcessId id;
  if (pid != 0) {
    const auto found = base::process_id(pid);
    if (!found) return std::unexpected(found.error());
    id = *found;
  }
  return std::make_unique<ProcessesWatch>(id, clock);
}

}  // namespace flatout::app
