#include "collect/nvml/processes.h"

#include <algorithm>

namespace flatout::collect::nvml {
namespace {

using run::Metric;

constexpr base::DurationNs kProcessesPeriod = base::kSecond;
constexpr unsigned kMostProcesses = 4096;
// Of the first process-number space of a kernel (PROC_PID_INIT_INO).
constexpr const char* kFirstSpace = "pid:[4026531836]";

// Calls `function` with a list that is large enough, as far as that goes.
Return list_processes(Session& device, const Function<Handle, unsigned*, ProcessInfo*>& function,
                      std::vector<ProcessInfo>& list) {
  list.resize(64);
  while (true) {
    auto count = static_cast<unsigned>(list.size());
    const Return code = device.call(function, &count, list.data());
    if (code != Return::kInsufficientSize || list.size() >= kMostProcesses) {
      list.resize(code == Return::kSuccess ? std::min<std::size_t>(count, list.size()) : 0);
      return code;
    }
    list.resize(std::min(kMostProcesses, std::max(count + 16, count * 2)));
  }
}

}  // namespace

PidNumbers pid_numbers(const std::filesystem::path& proc) {
  std::error_code error;
  const auto link = std::filesystem::read_symlink(proc / "self/ns/pid", error);
  return !error && link == kFirstSpace ? PidNumbers::kMachines : PidNumbers::kOwn;
}

ProcessUse::PerDevice::PerDevice()
    : memory({key(Metric::kProcessDeviceMemoryUsed), key(Metric::kDeviceOthersProcesses),
              key(Metric::kDeviceOthersMemoryUsed)},
             0),
      utilization({key(Metric::kProcessDeviceUtilization), key(Metric::kDeviceOthersUtilization)},
                  0) {}

void ProcessUse::read(std::span<Session* const> devices, const std::set<pid_t>& run,
                      base::TimeNs now, run::SampleSink& out) {
  if (now + kSlack < next_ns_) return;
  next_ns_ = now + kProcessesPeriod;
  memory_sum_.clear();
  share_sum_.clear();
  for (Session* device : devices) read_one(*device, run);
  const auto add = [&](const std::map<pid_t, double>& sums, Metric metric) {
    for (const auto& [pid, sum] : sums) {
      out.add({.t_ns = now, .value = sum, .source = pid, .metric = metric});
    }
  };
  add(memory_sum_, Metric::kProcessDeviceMemoryUsed);
  add(share_sum_, Metric::kProcessDeviceUtilization);
}

void ProcessUse::read_one(Session& device, const std::set<pid_t>& run) {
  PerDevice& state = devices_[device.facts().index];
  const auto memory = read_memory(device, state);
  const auto shares = read_shares(device, state);
  if (!memory || !told_apart(device, *memory, run)) return;
  double others = 0;
  std::optional<double> others_memory;
  for (const auto& [pid, bytes] : *memory) {
    const bool ours = run.contains(pid);
    if (ours && bytes) memory_sum_[pid] += static_cast<double>(*bytes);
    // A process that is on the device and not among the shares used nothing of it.
    if (ours && shares) share_sum_[pid] += 0;
    if (ours) continue;
    ++others;
    if (bytes) others_memory = others_memory.value_or(0) + static_cast<double>(*bytes);
  }
  device.add(Metric::kDeviceOthersProcesses, others);
  if (others == 0) others_memory = 0;
  if (others_memory) device.add(Metric::kDeviceOthersMemoryUsed, *others_memory);
  if (!shares) return;
  double others_share = 0;
  for (const auto& [pid, share] : *shares) {
    if (run.contains(pid)) {
      share_sum_[pid] += share;
    } else {
      others_share += share;
    }
  }
  device.add(Metric::kDeviceOthersUtilization, std::min(1.0, others_share));
}

// Absent: the driver did not tell.
std::optional<ProcessUse::Memory> ProcessUse::read_memory(Session& device, PerDevice& state) {
  if (!device.due(state.memory)) return std::nullopt;
  const auto& f = device.driver().f;
  const auto& function =
      f.compute_processes.pointer != nullptr ? f.compute_processes : f.compute_processes_v2;
  std::vector<ProcessInfo> list;
  if (!device.answered(state.memory, list_processes(device, function, list))) return std::nullopt;
  Memory memory;
  const auto take = [&](const ProcessInfo& process) {
    auto& bytes = memory[static_cast<pid_t>(process.pid)];
    if (process.memory_bytes == kMemoryNotAvailable) return;
    // A process that computes and draws stands in both lists with the same figure.
    bytes = std::max(bytes.value_or(0), process.memory_bytes);
  };
  std::ranges::for_each(list, take);
  if (f.graphics_processes.pointer != nullptr &&
      list_processes(device, f.graphics_processes, list) == Return::kSuccess) {
    std::ranges::for_each(list, take);
  }
  return memory;
}

std::optional<ProcessUse::Shares> ProcessUse::read_shares(Session& device, PerDevice& state) {
  if (!device.due(state.utilization)) return std::nullopt;
  const auto& f = device.driver().f;
  if (state.last_us == 0) state.last_us = device.clock().now_us();
  std::vector<ProcessUtilization> list(256);
  auto count = static_cast<unsigned>(list.size());
  Return code = device.call(f.process_utilization, list.data(), &count, state.last_us);
  // "Not found": no process used the device since the last look.
  if (code == Return::kNotFound) {
    code = Return::kSuccess;
    count = 0;
  }
  if (!device.answered(state.utilization, code)) return std::nullopt;
  list.resize(std::min<std::size_t>(count, list.size()));
  const unsigned long long before = state.last_us;
  Shares shares;
  for (const auto& sample : list) {
    // Entries of the past and shares above 100 are leftovers of the driver's buffer.
    if (sample.time_us <= before || sample.sm > 100) continue;
    shares[static_cast<pid_t>(sample.pid)] = sample.sm / 100.0;
    state.last_us = std::max(state.last_us, sample.time_us);
  }
  return shares;
}

// With process numbers of our own, the driver's may be those of the machine, and
// then ours could only be taken for somebody else's.
bool ProcessUse::told_apart(Session& device, const Memory& memory,
                            const std::set<pid_t>& run) const {
  if (numbers_ == PidNumbers::kMachines) return true;
  const bool known =
      std::ranges::any_of(memory, [&](const auto& entry) { return run.contains(entry.first); });
  for (const Metric metric : {Metric::kProcessDeviceMemoryUsed, Metric::kProcessDeviceUtilization,
                              Metric::kDeviceOthersProcesses, Metric::kDeviceOthersMemoryUsed,
                              Metric::kDeviceOthersUtilization}) {
    if (known) {
      device.available(key(metric));
    } else {
      device.unavailable(key(metric),
                         "flatout runs in a container with process numbers of its own, and the "
                         "driver names none of the run's; share the host's (docker --pid=host)");
    }
  }
  return known;
}

}  // namespace flatout::collect::nvml
