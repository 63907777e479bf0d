#include "record/recover.h"

#include <algorithm>
#include <charconv>
#include <map>
#include <set>
#include <span>
#include <system_error>
#include <type_traits>

#include "base/kernel_clock.h"
#include "base/time.h"
#include "record/chunk_writer.h"
#include "record/json_string.h"
#include "record/process_table.h"
#include "record/ring_dir_reader.h"
#include "run/facts.h"

namespace flatout::record {
namespace {

// Leaves out of `events` what `stored` holds. The times of a process grow but
// for a few records of different threads, so only the stored ones that are not
// older than the first new one are compared.
template <typename Event, typename Stored>
void leave_out(std::vector<Event>& events, const Stored& stored) {
  if (events.empty() || stored.empty()) return;
  const auto time = [](const Event& event) { return run::record_time(event); };
  const std::int64_t first = time(std::ranges::min(events, {}, time));
  std::multimap<std::int64_t, Event> late;
  for (const Event& event : stored) {
    if (time(event) >= first) late.emplace(time(event), event);
  }
  std::erase_if(events, [&](const Event& event) {
    const auto [begin, end] = late.equal_range(time(event));
    return std::any_of(begin, end, [&](const auto& item) { return item.second == event; });
  });
}

void leave_out_stored(RingChunk& chunk, const run::ProcessTrack& stored) {
  leave_out(chunk.phases, stored.phases);
  leave_out(chunk.batches, stored.batches);
  leave_out(chunk.device_phases, stored.device_phases);
  leave_out(chunk.values, stored.values);
  leave_out(chunk.facts, stored.facts);
  leave_out(chunk.activities, stored.activities);
  leave_out(chunk.host_spans, stored.host_spans);
  leave_out(chunk.trace_windows, stored.trace_windows);
  std::erase_if(chunk.trace_names, [&](const run::TraceName& name) {
    const auto known = stored.ring_names.find(name.in_ring);
    return known != stored.ring_names.end() && known->second == name.number;
  });
  std::erase_if(chunk.lanes, [&](const run::Lane& lane) {
    return std::ranges::find(stored.lanes, lane) != stored.lanes.end();
  });
}

void preload_names(RingDirReader& rings, const run::Timeline& stored) {
  for (const auto& [pid, track] : stored.processes) {
    for (const auto& fact : track.facts) {
      if (!fact.key.starts_with(run::facts::kStageNamePrefix)) continue;
      const std::string number = fact.key.substr(run::facts::kStageNamePrefix.size());
      std::uint32_t id = 0;
      const auto* end = number.data() + number.size();
      const auto name = json_unquote(fact.json);
      if (std::from_chars(number.data(), end, id).ptr == end && name) {
        rings.preload_name(pid, id, *name);
      }
    }
  }
}

void preload_trace_names(RingDirReader& rings, const run::Timeline& stored) {
  for (std::uint32_t number = 1; stored.names && number < stored.names->size(); ++number) {
    const std::string_view text = stored.names->at(number);
    if (!text.empty()) rings.preload_trace_text(number, text);
  }
  for (const auto& [pid, track] : stored.processes) {
    for (const auto& [in_ring, number] : track.ring_names) {
      rings.preload_trace_name(pid, in_ring, number);
    }
  }
}

// Passes chunks on to the sink and keeps what there is to tell.
class Recovery {
 public:
  Recovery(run::RunSink& sink, const run::Timeline* stored) : sink_(sink), stored_(stored) {}

  void take(const RingOwner& owner, RingChunk& chunk) {
    const run::ProcessTrack* track = find(owner.id.pid);
    if (track != nullptr) leave_out_stored(chunk, *track);
    chunk.allocators.clear();  // they are sums over processes, and those stand in no log
    if (track == nullptr && told_.insert(owner.id.pid).second) write_process(owner);
    const pid_t pid = owner.id.pid;
    for (const auto& lane : chunk.lanes) check(sink_.lane(pid, lane));
    for (const auto& fact : chunk.facts) check(sink_.fact(pid, fact));
    write_records(chunk, pid, sink_, [this](const base::Result<void>& done) { check(done); });
    const std::size_t traced =
        chunk.activities.size() + chunk.host_spans.size() + chunk.trace_windows.size();
    result.events += chunk.records() - traced;
    trace_events_ += traced;
  }

  // Dropped events of rings that are gone stand in the log alone, those of the
  // last moments in the rings alone: the larger of both is a lower bound.
  void write_counts(const run::RingCounts& rings) {
    run::RingCounts counts = stored_ != nullptr ? stored_->counts : run::RingCounts{};
    counts.events += result.events;
    counts.dropped = std::max(counts.dropped, rings.dropped);
    if (rings.trace_events) {
      counts.trace_events = counts.trace_events.value_or(0) + trace_events_;
      counts.trace_dropped =
          std::max(counts.trace_dropped.value_or(0), rings.trace_dropped.value_or(0));
    }
    check(sink_.counts(counts));
  }

  // Whether all of it is in the sink's hands.
  bool flush() {
    check(sink_.flush());
    return !failed_;
  }

  Recovered result;

 private:
  const run::ProcessTrack* find(pid_t pid) const {
    if (stored_ == nullptr) return nullptr;
    const auto found = stored_->processes.find(pid);
    return found != stored_->processes.end() ? &found->second : nullptr;
  }

  // A process that the dead recorder never came to see.
  void write_process(const RingOwner& owner) {
    ProcessTable table(0);
    table.ring(owner);
    for (const auto& proc : table.take_changed()) check(sink_.proc(proc));
  }

  void check(const base::Result<void>& done) {
    if (done || failed_) return;
    failed_ = true;
    result.notes.push_back("what lay in the rings could not all be kept: " + done.error().message);
  }

  run::RunSink& sink_;
  const run::Timeline* stored_;
  std::set<pid_t> told_;
  std::uint64_t trace_events_ = 0;
  bool failed_ = false;
};

}  // namespace

base::Result<Recovered> recover(const std::filesystem::path& ring_dir, run::RunSink& sink,
                                const run::Timeline* stored, const std::filesystem::path& proc) {
  std::error_code error;
  if (!std::filesystem::is_directory(ring_dir, error)) {
    return base::fail(base::ErrorCode::kNotFound,
                      "there is no ring directory " + ring_dir.string());
  }
  RingDirReader rings(ring_dir, proc);
  if (stored != nullptr) {
    preload_names(rings, *stored);
    preload_trace_names(rings, *stored);
  }
  Recovery recovery(sink, stored);
  rings.drain(base::kernel_monotonic_ns(),
              [&](const RingOwner& owner, RingChunk& chunk) { recovery.take(owner, chunk); });
  recovery.write_counts(rings.counts());
  if (recovery.flush()) rings.commit();
  for (const auto& id : rings.writers()) {
    if (base::process_alive(id, proc)) recovery.result.alive.push_back(id.pid);
  }
  for (auto& line : rings.take_notes()) recovery.result.notes.push_back(std::move(line));
  return std::move(recovery.result);
}

}  // namespace flatout::record
