// Resident memory of each process of the run, with each shared page divided by
// its users, so that the sum over the run counts every page once. From
// /proc/<pid>/smaps_rollup, for which the kernel walks all page tables of the
// process (here some 55 ns a page: 1.4 ms for 100 MiB) while it holds a lock that
// the process itself may want. So:
//   - each process every 10 s, for the first time 1 s after it was seen;
//   - at most one process a call, and after it a rest that keeps the source to
//     its budget, measured: with many or large processes a round takes longer;
//   - a process whose reading would take longer than 50 ms is not read, and
//     that is said once.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "collect/budget.h"
#include "collect/process_tree.h"
#include "host/paths.h"
#include "run/source.h"

namespace flatout::collect {

// Bytes; absent where there is no whole line "Pss:".
std::optional<std::uint64_t> parse_pss(std::string_view smaps_rollup);

class PssSource final : public run::Source {
 public:
  // `tree` must outlive it. `cpu` reports the cost of a reading.
  PssSource(host::Paths paths, const ProcessTree& tree, CpuClock cpu = thread_cpu_ns);
  std::string_view name() const override { return "PSS"; }
  base::Result<void> sample(base::TimeNs now, run::SampleSink& out) override;
  std::vector<std::string> take_notes() override;

 private:
  struct Next {
    std::uint64_t start_ticks = 0;
    base::TimeNs due_ns = 0;
  };

  void follow();
  std::optional<pid_t> due(base::TimeNs now) const;
  void read(pid_t pid, base::TimeNs now, run::SampleSink& out);

  host::Paths paths_;
  const ProcessTree& tree_;
  CpuClock cpu_;
  std::map<pid_t, Next> next_;
  base::TimeNs rests_until_ns_ = 0;
  double ns_per_page_;  // of the most expensive reading so far
  bool late_told_ = false;
  bool large_told_ = false;
  std::vector<std::string> notes_;
};

}  // namespace flatout::collect
