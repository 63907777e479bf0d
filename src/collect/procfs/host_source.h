// The whole machine: cores used, iowait, memory, page cache, disks. From
// /proc/stat, /proc/meminfo and /proc/diskstats; a file that cannot be read
// leaves out its metrics. In a container these still speak of the machine.
#pragma once

#include <unistd.h>

#include <optional>
#include <string_view>

#include "collect/procfs/disks.h"
#include "host/paths.h"
#include "run/source.h"

namespace flatout::collect {

struct CpuTicks {
  std::uint64_t busy = 0;    // user nice system irq softirq; not steal: others had it
  std::uint64_t iowait = 0;  // may go back (proc(5))
  std::optional<std::uint64_t> stolen = {};
  int cpus = 0;  // that have a line of their own, 0 = none has
};
// The first line of /proc/stat. Absent where it is not as proc(5) says.
std::optional<CpuTicks> parse_cpu_ticks(std::string_view text);

// Of /proc/meminfo, in KiB; what is not there is absent.
struct MemoryKib {
  std::optional<std::uint64_t> total;
  std::optional<std::uint64_t> available;
  // Cached less Shmem: what a tmpfs holds is counted as cached, but no file
  // on a disk stands behind it.
  std::optional<std::uint64_t> page_cache;
};
MemoryKib parse_meminfo(std::string_view text);

class HostSource final : public run::Source {
 public:
  explicit HostSource(host::Paths paths, long ticks_per_s = ::sysconf(_SC_CLK_TCK));
  std::string_view name() const override { return "host"; }
  base::Result<void> sample(base::TimeNs now, run::SampleSink& out) override;

 private:
  void cpu(base::TimeNs now, run::SampleSink& out);
  void memory(base::TimeNs now, run::SampleSink& out) const;

  host::Paths paths_;
  double ticks_per_s_;
  std::optional<CpuTicks> ticks_;
  base::TimeNs ticks_ns_ = 0;
  Disks disks_;
};

}  // namespace flatout::collect
