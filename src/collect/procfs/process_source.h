// Each process of the run: cores used, memory, major faults, reads, waiting for
// disk or for a core, threads. From the stat that the tree has just read, /proc/<pid>/io and
// /proc/<pid>/schedstat (which speaks of the main thread). A file that this
// kernel lacks or does not let us read leaves out its metrics.
#pragma once

#include <unistd.h>

#include <map>
#include <optional>
#include <string_view>

#include "collect/process_tree.h"
#include "host/paths.h"
#include "run/source.h"

namespace flatout::collect {

struct ProcIo {
  std::optional<std::uint64_t> read_bytes;  // asked for, page cache included (rchar)
  std::optional<std::uint64_t> disk_bytes;  // from storage (read_bytes)
};
ProcIo parse_proc_io(std::string_view text);

// Second number of schedstat: ns in which the thread was runnable and waited
// for a core (Documentation/scheduler/sched-stats). Absent where it is cut or not kept.
std::optional<std::uint64_t> parse_run_delay_ns(std::string_view text);

// Units of the kernel's counters.
struct KernelUnits {
  long ticks_per_s = ::sysconf(_SC_CLK_TCK);
  long page_bytes = ::sysconf(_SC_PAGESIZE);
  long cpus = ::sysconf(_SC_NPROCESSORS_ONLN);  // no process uses more; 0 or less = not known
};

class ProcessSource final : public run::Source {
 public:
  // `tree` must outlive it.
  ProcessSource(host::Paths paths, const ProcessTree& tree, KernelUnits units = {});
  std::string_view name() const override { return "process"; }
  base::Result<void> sample(base::TimeNs now, run::SampleSink& out) override;

 private:
  struct Last {
    std::uint64_t start_ticks = 0;
    base::TimeNs stat_ns = 0;
    std::uint64_t cpu_ticks = 0;
    std::uint64_t major_faults = 0;
    base::TimeNs files_ns = 0;
    ProcIo io;
    std::optional<std::uint64_t> run_delay_ns;
  };

  void sample_stat(const ProcessTree::Entry& entry, Last& last, run::SampleSink& out) const;
  void sample_files(pid_t pid, base::TimeNs now, Last& last, run::SampleSink& out) const;

  host::Paths paths_;
  const ProcessTree& tree_;
  KernelUnits units_;
  std::map<pid_t, Last> last_;
};

}  // namespace flatout::collect
