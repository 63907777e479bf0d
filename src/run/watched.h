// What `flatout top` shows of a run, a process or the machine, as it is now: made by app, shown by
// report/top. An absent field was not measured. Shares are 0 to 1; histories have one item a
// second, the newest last, NaN where nothing was measured.
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "run/run.h"

namespace flatout::run {

struct WatchedDevice {
  int index = 0;
  std::string name;
  std::string mig;  // "" = off or not known
  std::optional<double> utilization, memory_used_bytes, memory_total_bytes;
  std::optional<double> power_w, power_limit_w, temperature_c, sm_clock_mhz;
  std::optional<double> sm, tensor, dram;  // the device's own counters
  std::optional<double> pcie_received, pcie_sent, nvlink_received, nvlink_sent;  // bytes/s
  std::optional<double> throttled;  // share of time, by the largest reason
  std::optional<double> others_processes;
  std::vector<double> history;  // of utilization
};

struct WatchedProcess {
  pid_t pid = 0;
  ProcRole role = ProcRole::kOther;
  int rank = -1, worker = -1;
  std::string command;
  std::optional<double> cpu_cores, rss_bytes, read_bytes_per_s, disk_bytes_per_s;
  std::optional<double> device_memory_bytes, device_utilization, threads;
};

struct WatchedHost {
  int cpus = 0;
  std::optional<double> cpu_cores;      // in use by all of the machine
  std::optional<double> own_cpu_cores;  // by the processes that are watched
  std::optional<double> iowait_cores;
  std::optional<double> memory_used_bytes, memory_total_bytes, own_memory_bytes;
  std::optional<double> disk_read, disk_written, network_received, network_sent;  // bytes/s
  std::optional<double> pressure_cpu, pressure_memory, pressure_io;
  std::optional<double> throttled;  // by the cgroup's quota
  std::vector<double> history;      // of cpu_cores over cpus
};

struct WatchedSteps {
  std::optional<std::int64_t> count;  // of the whole run
  std::optional<double> per_s;        // in the last ten seconds
  std::optional<double> median_ms, p99_ms, samples_per_s, device_busy;
  std::vector<std::pair<std::string, double>> phases;  // shares, in the order of a step
  std::vector<double> history_ms;                      // of the last steps, the newest last
};

struct WatchedLoader {
  std::optional<int> workers, prefetch;
  std::optional<double> sample_ms, max_samples_per_s;
  std::vector<std::pair<std::string, double>> stages;
  bool engine = false;  // flatout's own
};

// What the program logged.
struct WatchedValue {
  std::string name;
  std::optional<double> last;
  std::optional<std::int64_t> step;
  std::vector<double> history;  // the last values, not by the second
};

struct WatchedVerdict {
  std::string finding, cause, summary;
  std::optional<double> share, confidence;
  std::string advice;       // of the first change by hand, "" = none
  std::string loaded = {};  // what others take of the machine, and so of its figures; "" = nothing
};

enum class WatchedKind : std::uint8_t { kRun, kProcess, kMachine };

struct Watched {
  WatchedKind kind = WatchedKind::kMachine;
  std::string id, name, host, command;
  pid_t pid = 0;                  // of kProcess
  std::optional<RunState> state;  // of kRun; of a process: running, or finished when it is gone
  double elapsed_s = 0;
  std::optional<double> silent_s;  // since the last record of a running run
  std::optional<double> window_s;  // that steps, loader and verdict are of
  WatchedHost machine;
  std::vector<WatchedDevice> devices;
  std::vector<WatchedProcess> processes;
  std::optional<WatchedSteps> steps;
  std::optional<WatchedLoader> loader;
  std::vector<WatchedValue> values;  // the one that changed last first
  std::optional<WatchedVerdict> verdict;
  std::uint64_t dropped = 0;
  std::vector<std::string> notes;
  std::string hint;  // what to do for more, "" = nothing
};

}  // namespace flatout::run
