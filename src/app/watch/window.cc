#include "app/watch/window.h"

#include <algorithm>
#include <iterator>
#include <utility>

#include "run/phase.h"

namespace flatout::app {
namespace {

template <typename T>
void append(run::Records<T>& to, run::Records<T>&& more) {
  if (more.empty()) return;
  std::vector<T>& own = to.own();
  const bool in_order = own.empty() || run::record_time(own.back()) <= more.first_ns();
  std::ranges::move(more.own(), std::back_inserter(own));
  if (!in_order) run::sort_by_time(own);
}

// Whether anything was forgotten. A quarter more is held than is kept, so that it is seldom moved.
template <typename T>
bool forget(run::Records<T>& records, base::TimeNs before_ns, std::size_t most) {
  if (records.empty()) return false;
  const bool old = records.first_ns() < before_ns - Window::kLength / 4;
  if (!old && records.size() <= most + most / 4) return false;
  std::vector<T>& own = records.own();
  auto first = std::ranges::lower_bound(own, before_ns, {},
                                        [](const T& item) { return run::record_time(item); });
  const auto kept = static_cast<std::size_t>(own.end() - first);
  if (kept > most) first = own.end() - static_cast<std::ptrdiff_t>(most);
  own.erase(own.begin(), first);
  return true;
}

}  // namespace

void Window::add(run::Timeline&& more) {
  if (timeline_.info.id.empty() && !more.info.id.empty()) {
    timeline_.info = more.info;
    since_ns_ = more.info.started_ns;
  }
  timeline_.state = more.state;
  if (more.end) timeline_.end = more.end;
  timeline_.last_ns = std::max(timeline_.last_ns, more.last_ns);
  for (auto& [pid, track] : more.processes) {
    run::ProcessTrack& to = timeline_.processes[pid];
    to.proc.pid = pid;
    if (track.proc.seen_ns != 0 || !track.proc.command.empty()) to.proc = track.proc;
    std::ranges::move(track.lanes, std::back_inserter(to.lanes));
    for (const run::Fact& fact : track.facts) to.facts.push_back(fact);
    for (const run::PhaseEvent& event : track.phases) {
      if (event.begin) continue;
      counted_[pid].updates += event.phase == run::Phase::kOptimizer ? 1 : 0;
      counted_[pid].ends += event.phase == run::Phase::kStep ? 1 : 0;
    }
    append(to.phases, std::move(track.phases));
    append(to.batches, std::move(track.batches));
    append(to.device_phases, std::move(track.device_phases));
    append(to.values, std::move(track.values));
  }
  for (auto& [key, points] : more.series) append(timeline_.series[key], std::move(points));
  for (auto& [index, device] : more.devices) timeline_.devices[index] = std::move(device);
  if (more.counts != run::RingCounts{}) timeline_.counts = more.counts;
  for (std::string& note : more.notes) {
    if (timeline_.notes.size() < 20) timeline_.notes.push_back(std::move(note));
  }
}

void Window::add(const run::Sample& sample) {
  timeline_.series[{sample.metric, sample.source}].push_back({sample.t_ns, sample.value});
  timeline_.last_ns = std::max(timeline_.last_ns, sample.t_ns);
}

void Window::trim(base::TimeNs now) {
  const base::TimeNs before_ns = now - kLength;
  bool forgotten = false;
  for (auto& [pid, track] : timeline_.processes) {
    forgotten |= forget(track.phases, before_ns, kMostRecords);
    forget(track.batches, before_ns, kMostRecords / 4);
    forget(track.device_phases, before_ns, kMostRecords);
    forget(track.values, before_ns, kMostRecords / 4);
  }
  for (auto& [key, points] : timeline_.series) forget(points, before_ns, kMostRecords / 4);
  std::erase_if(timeline_.series, [](const auto& entry) { return entry.second.empty(); });
  std::erase_if(timeline_.processes, [&](const auto& entry) {
    const run::Proc& proc = entry.second.proc;
    return proc.gone_ns != 0 && proc.gone_ns < before_ns && entry.second.phases.empty() &&
           entry.second.facts.empty();
  });
  if (!forgotten) return;
  since_ns_ = now;
  for (const auto& [pid, track] : timeline_.processes) {
    if (!track.phases.empty()) since_ns_ = std::min(since_ns_, track.phases.first_ns());
  }
}

std::int64_t Window::steps(pid_t pid) const {
  const auto found = counted_.find(pid);
  if (found == counted_.end()) return 0;
  return found->second.ends > 0 ? found->second.ends : found->second.updates;
}

}  // namespace flatout::app
