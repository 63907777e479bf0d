// The processes of a run and their roles. A process whose ring says so is a
// worker; one that updates weights is a main; an ancestor of a main is a
// launcher; while nobody trains the launched command is the main; all else is
// other. Pure, one thread.
#pragma once

#include <sys/types.h>

#include <map>
#include <vector>

#include "record/ring_dir_reader.h"
#include "run/run.h"
#include "run/source.h"

namespace flatout::record {

class ProcessTable {
 public:
  explicit ProcessTable(pid_t root) : root_(root) {}

  void apply(const run::ProcessChanges& changes, base::TimeNs now);
  // A ring may come from a process too short-lived to be seen otherwise.
  void ring(const RingOwner& owner);
  void trains(pid_t pid);  // it has optimizer spans
  // The writer of a ring has ended (it may never have been seen otherwise).
  void ended(const base::ProcessId& id, base::TimeNs now);

  // Those that are new or differ from what was returned before.
  std::vector<run::Proc> take_changed();
  // Those that were seen by the process watch and are not gone.
  std::vector<pid_t> alive() const;
  std::size_t size() const { return entries_.size(); }  // remembered

 private:
  struct Entry {
    run::Proc proc;
    bool watched = false;  // seen by the process watch
    bool has_ring = false;
    bool worker = false;
    bool trains = false;
    bool changed = true;
  };

  Entry& entry(const base::ProcessId& id, pid_t parent, base::TimeNs now);
  void assign_roles();
  void mark_launchers(pid_t main, std::map<pid_t, run::ProcRole>& roles) const;
  void forget_ended();

  pid_t root_;
  bool roles_stale_ = false;
  std::map<pid_t, Entry> entries_;
};

}  // namespace flatout::record
