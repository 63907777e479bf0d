#include "analyse/tracked/branches.h"

#include <algorithm>

#include "analyse/tracked/tracked_runs.h"

namespace flatout::analyse {
namespace {

// Also one that was killed before it could say so.
bool ended_before(const run::Timeline& timeline, const run::TrackedPart& part, std::int64_t t_ns) {
  if (part.ended_ns) return *part.ended_ns <= t_ns;
  const auto process = timeline.processes.find(part.pid);
  if (process == timeline.processes.end()) return false;
  const std::int64_t gone_ns = process->second.proc.gone_ns;
  return gone_ns != 0 && gone_ns <= t_ns;
}

bool replaces_earlier(const run::TrackedPart& part) {
  return part.branch && part.branch->rewind && part.branch->values && part.branch->problem.empty();
}

}  // namespace

std::optional<run::TrackedBranch> branch_of(const run::TrackRunFact& fact) {
  const bool rewind = fact.branch == "rewind";
  if ((!rewind && fact.branch != "fork") || fact.from.empty()) return std::nullopt;
  run::TrackedBranch out;
  out.rewind = rewind;
  out.from = fact.from;
  out.from_step = fact.from_step;
  return out;
}

void take_copied(const run::TrackHistoryFact& fact, run::TrackedPart& part) {
  if (!part.branch) return;
  part.branch->values = fact.values;
  part.branch->rows = fact.rows;
  part.branch->recordings = fact.recordings;
  part.branch->problem = fact.problem;
}

void archive_rewound(const run::Timeline& timeline, run::TrackedRun& run) {
  for (auto part = run.parts.begin(); part != run.parts.end(); ++part) {
    if (part->branch) run.branch = part->branch;
    if (!replaces_earlier(*part)) continue;
    for (auto earlier = run.parts.begin(); earlier != part; ++earlier) {
      earlier->archived = earlier->archived || ended_before(timeline, *earlier, part->started_ns);
    }
  }
  const auto archived = [&](const auto& of) { return is_archived(run, of.pid, of.track); };
  std::erase_if(run.series, archived);
  std::erase_if(run.rows, archived);
}

std::vector<std::pair<pid_t, std::uint32_t>> archived_tracks(const run::Timeline& timeline) {
  const auto rewinds = [](const auto& entry) {
    return std::ranges::any_of(entry.second.facts.observed().track_runs,
                               [](const auto& fact) { return fact.branch == "rewind"; });
  };
  std::vector<std::pair<pid_t, std::uint32_t>> out;
  if (std::ranges::none_of(timeline.processes, rewinds)) return out;
  for (const run::TrackedRun& run : tracked_runs(timeline)) {
    for (const run::TrackedPart& part : run.parts) {
      if (part.archived) out.emplace_back(part.pid, part.track);
    }
  }
  std::ranges::sort(out);
  return out;
}

bool is_archived(const run::TrackedRun& run, pid_t pid, std::uint32_t track) {
  return std::ranges::any_of(run.parts, [&](const run::TrackedPart& part) {
    return part.archived && part.pid == pid && part.track == track;
  });
}

}  // namespace flatout::analyse
