// Who uses the devices: memory and utilisation of each process of the run, and
// of all others together. One thread.
#pragma once

#include <filesystem>
#include <map>
#include <set>
#include <span>
#include <vector>

#include "collect/nvml/session.h"

namespace flatout::collect::nvml {

// Whether our process numbers are the machine's. In a container they often are
// not, while the driver speaks of the machine's.
enum class PidNumbers : std::uint8_t { kMachines, kOwn };
PidNumbers pid_numbers(const std::filesystem::path& proc = "/proc");

class ProcessUse {
 public:
  explicit ProcessUse(PidNumbers numbers) : numbers_(numbers) {}
  // `run` = the run's processes. Sums over `devices` go to the processes' series.
  void read(std::span<Session* const> devices, const std::set<pid_t>& run, base::TimeNs now,
            run::SampleSink& out);

 private:
  struct PerDevice {
    PerDevice();
    Question memory;
    Question utilization;
    unsigned long long last_us = 0;
  };
  using Memory = std::map<pid_t, std::optional<unsigned long long>>;
  using Shares = std::map<pid_t, double>;

  static std::optional<Memory> read_memory(Session& device, PerDevice& state);
  static std::optional<Shares> read_shares(Session& device, PerDevice& state);
  bool told_apart(Session& device, const Memory& memory, const std::set<pid_t>& run) const;
  void read_one(Session& device, const std::set<pid_t>& run);

  PidNumbers numbers_;
  std::map<int, PerDevice> devices_;
  std::map<pid_t, double> memory_sum_;
  std::map<pid_t, double> share_sum_;
  base::TimeNs next_ns_ = 0;
};

}  // namespace flatout::collect::nvml
