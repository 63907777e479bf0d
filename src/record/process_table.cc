#include "record/process_table.h"

#include <set>

namespace flatout::record {
namespace {
// As many ended processes are remembered before the table is swept.
constexpr std::size_t kSweepAbove = 1024;
}  // namespace

ProcessTable::Entry& ProcessTable::entry(const base::ProcessId& id, pid_t parent,
                                         base::TimeNs now) {
  Entry& found = entries_[id.pid];
  if (found.proc.pid == id.pid && found.proc.start_ticks == id.start_ticks) return found;
  // New, or the number of a process that ended before.
  found = {};
  found.proc.pid = id.pid;
  found.proc.start_ticks = id.start_ticks;
  found.proc.parent = parent;
  found.proc.seen_ns = now;
  roles_stale_ = true;
  return found;
}

void ProcessTable::apply(const run::ProcessChanges& changes, base::TimeNs now) {
  // The ends first: a pid may be among both, reused.
  for (const auto& id : changes.gone) ended(id, now);
  for (const auto* list : {&changes.appeared, &changes.changed}) {
    for (const auto& seen : *list) {
      Entry& known = entry(seen.id, seen.parent, seen.first_seen_ns);
      known.watched = true;
      known.proc.command = seen.command;
      known.changed = true;
    }
  }
}

void ProcessTable::ended(const base::ProcessId& id, base::TimeNs now) {
  const auto found = entries_.find(id.pid);
  if (found == entries_.end() || found->second.proc.start_ticks != id.start_ticks) return;
  if (found->second.proc.gone_ns != 0) return;
  found->second.proc.gone_ns = now;
  found->second.changed = true;
}

void ProcessTable::ring(const RingOwner& owner) {
  Entry& known = entry(owner.id, owner.parent, owner.created_ns);
  known.has_ring = true;
  const bool worker = owner.role == wire::RingRole::kWorker;
  if (known.worker == worker && known.proc.worker_id == owner.worker_id &&
      known.proc.rank == owner.rank) {
    return;
  }
  known.worker = worker;
  known.proc.worker_id = owner.worker_id;
  known.proc.rank = owner.rank;
  known.changed = true;
  roles_stale_ = true;
}

void ProcessTable::trains(pid_t pid) {
  const auto found = entries_.find(pid);
  if (found == entries_.end() || found->second.trains) return;
  found->second.trains = true;
  roles_stale_ = true;
}

void ProcessTable::assign_roles() {
  std::map<pid_t, run::ProcRole> roles;
  bool any_trains = false;
  for (const auto& [pid, known] : entries_) {
    if (known.worker || !known.trains) continue;
    any_trains = true;
    mark_launchers(pid, roles);
  }
  for (const auto& [pid, known] : entries_) {
    if (known.worker) {
      roles[pid] = run::ProcRole::kWorker;
    } else if (known.trains || (!any_trains && pid == root_)) {
      roles[pid] = run::ProcRole::kMain;
    }
  }
  for (auto& [pid, known] : entries_) {
    const auto role = roles.contains(pid) ? roles.at(pid) : run::ProcRole::kOther;
    known.changed |= known.proc.role != role;
    known.proc.role = role;
  }
}

void ProcessTable::mark_launchers(pid_t main, std::map<pid_t, run::ProcRole>& roles) const {
  auto at = entries_.find(main);
  for (std::size_t steps = 0; at != entries_.end() && steps < entries_.size(); ++steps) {
    at = entries_.find(at->second.proc.parent);
    if (at != entries_.end()) roles[at->first] = run::ProcRole::kLauncher;
  }
}

std::vector<run::Proc> ProcessTable::take_changed() {
  if (roles_stale_) assign_roles();
  roles_stale_ = false;
  std::vector<run::Proc> changed;
  for (auto& [pid, known] : entries_) {
    if (!known.changed) continue;
    changed.push_back(known.proc);
    known.changed = false;
  }
  forget_ended();
  return changed;
}

// Thousands of short-lived children must not stay here for ever. Those that
// may still matter to a role are kept: with a ring, or that have children.
void ProcessTable::forget_ended() {
  if (entries_.size() < kSweepAbove) return;
  std::set<pid_t> parents;
  for (const auto& [pid, known] : entries_) {
    if (known.proc.gone_ns == 0 || known.has_ring) parents.insert(known.proc.parent);
  }
  std::erase_if(entries_, [&](const auto& item) {
    const Entry& known = item.second;
    return known.proc.gone_ns != 0 && !known.has_ring && !parents.contains(item.first) &&
           item.first != root_;
  });
}

std::vector<pid_t> ProcessTable::alive() const {
  std::vector<pid_t> pids;
  for (const auto& [pid, known] : entries_) {
    if (known.proc.gone_ns == 0 && known.watched) pids.push_back(pid);
  }
  return pids;
}

}  // namespace flatout::record
