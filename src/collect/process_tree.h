// The processes of a run: every descendant of the recorder but those that are
// its own. flatout is a child subreaper, so a process whose parent ended
// becomes a child of the recorder and stays in the tree.
//
// Children are read from /proc/<pid>/task/<tid>/children: of the main thread of
// every process at each look, of the other threads about once a second, since
// there may be hundreds. A kernel without those files gets a scan of /proc
// once a second. A process that lives shorter than the time between two looks
// is not seen. Wide looks keep to a quarter of a percent of a core by waiting longer
// for the next; all looks together are held to the budget of a source.
#pragma once

#include <functional>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "collect/budget.h"
#include "collect/late_reads.h"
#include "collect/procfs/proc_stat.h"
#include "host/paths.h"
#include "run/source.h"

namespace flatout::collect {

// Takes argv, gives it back with secrets masked.
using MaskArgv = std::function<std::vector<std::string>(std::vector<std::string>)>;

struct ProcessTreeOptions {
  pid_t recorder = 0;            // the root; not part of the tree itself
  pid_t program = 0;             // beside the recorder's descendants: one that it did not start
  std::set<pid_t> exclude = {};  // these, and their descendants, are not of the run
  MaskArgv mask = {};            // empty = argv as it is
  CpuClock cpu = thread_cpu_ns;
  const base::Clock* clock = nullptr;  // of the looks: counters are not read late (late_reads.h)
};

// One thread. Reads of processes that vanish meanwhile are no errors.
class ProcessTree final : public run::ProcessWatch {
 public:
  struct Entry {
    run::ProcessSeen seen;
    ProcStat stat;             // of the latest look
    base::TimeNs stat_ns = 0;  // when that was
    LateReads late = LateReads();
  };

  ProcessTree(host::Paths paths, ProcessTreeOptions options);

  run::ProcessChanges update(base::TimeNs now, bool force) override;
  std::vector<std::string> take_notes() override;
  void exclude(pid_t pid) { options_.exclude.insert(pid); }

  // Those alive at the latest look, by pid.
  const std::map<pid_t, Entry>& processes() const { return entries_; }

 private:
  void refresh(base::TimeNs now, run::ProcessChanges& changes);
  void descend(base::TimeNs now, bool wide, run::ProcessChanges& changes);
  void scan(base::TimeNs now, run::ProcessChanges& changes);
  bool add(pid_t pid, base::TimeNs now, run::ProcessChanges& changes);
  bool is_ours(pid_t pid, const std::map<pid_t, pid_t>& parents) const;
  std::vector<pid_t> children(pid_t pid, bool all_threads) const;
  std::string command(pid_t pid, const ProcStat& stat) const;

  host::Paths paths_;
  ProcessTreeOptions options_;
  Budget budget_;
  bool has_children_files_;
  base::TimeNs next_wide_look_ns_ = 0;
  bool too_many_ = false;
  std::vector<std::string> notes_;
  std::map<pid_t, Entry> entries_;
};

}  // namespace flatout::collect
