#include "store/run_family.h"

#include <algorithm>
#include <string>
#include <system_error>
#include <unordered_map>

#include "store/run_list.h"

namespace flatout::store {

std::string_view family_kind_name(FamilyKind kind) {
  switch (kind) {
    case FamilyKind::kTune:
      return "tune";
    case FamilyKind::kSearch:
      return "search";
    case FamilyKind::kRun:
      break;
  }
  return "run";
}

FamilyKind family_kind(const std::filesystem::path& folder) {
  std::error_code unknown;
  const auto has = [&](std::string_view name) {
    return std::filesystem::exists(folder / name, unknown);
  };
  if (has(kTuneReportName) || has(kTuneJournalName)) return FamilyKind::kTune;
  return has(kSearchReportName) || has(kSearchJournalName) ? FamilyKind::kSearch : FamilyKind::kRun;
}

std::vector<RunFamily> families(const std::vector<CatalogEntry>& runs) {
  std::unordered_map<std::string_view, std::size_t> place;  // of what stands by itself
  for (const CatalogEntry& run : runs) place.emplace(run.id, 0);
  const auto is_trial = [&](const CatalogEntry& run) {
    return !run.parent.empty() && run.parent != run.id && place.contains(run.parent);
  };
  std::vector<RunFamily> out;
  for (const CatalogEntry& run : runs) {
    if (is_trial(run)) continue;
    place[run.id] = out.size();
    out.push_back({.run = run, .trials = {}});
  }
  for (auto run = runs.rbegin(); run != runs.rend(); ++run) {
    if (is_trial(*run)) out[place[run->parent]].trials.push_back(*run);
  }
  return out;
}

std::uint64_t bytes_of(const RunFamily& family) {
  std::uint64_t bytes = family.run.bytes;
  for (const CatalogEntry& trial : family.trials) bytes += trial.bytes;
  return bytes;
}

base::DurationNs duration_of(const RunFamily& family) {
  base::WallNs end = family.run.started_wall_ns + family.run.duration_ns;
  for (const CatalogEntry& trial : family.trials) {
    end = std::max(end, trial.started_wall_ns + trial.duration_ns);
  }
  return end - family.run.started_wall_ns;
}

base::Result<std::vector<std::string>> with_trials(const Home& home, const std::string& id,
                                                   const Viewpoint& from) {
  const auto runs = list_runs(home, from);
  if (!runs) return std::unexpected(runs.error());
  std::vector<std::string> out;
  for (const ListedRun& run : *runs) {
    if (run.summary && run.summary->info.parent == id && run.id != id) out.push_back(run.id);
  }
  out.push_back(id);
  return out;
}

base::Result<std::vector<std::string>> remove_with_trials(const Home& home, const std::string& id,
                                                          const Viewpoint& from) {
  auto ids = with_trials(home, id, from);
  if (!ids) return ids;
  for (const std::string& one : *ids) {
    if (auto free = can_be_removed(home, one, from); !free) return std::unexpected(free.error());
  }
  for (const std::string& one : *ids) {
    if (auto done = remove_run(home, one, from); !done) return std::unexpected(done.error());
  }
  return ids;
}

}  // namespace flatout::store
