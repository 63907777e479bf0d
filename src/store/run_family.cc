#include "store/run_family.h"

#include <fcntl.h>
#include <sys/file.h>

#include <algorithm>
#include <cerrno>
#include <string>
#include <system_error>
#include <unordered_map>

#include "base/file.h"
#include "store/parentage.h"
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

bool journal_in_use(const std::filesystem::path& path) {
  const base::UniqueFd fd(::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NOFOLLOW));
  return fd && ::flock(fd.get(), LOCK_EX | LOCK_NB) != 0 && errno == EWOULDBLOCK;
}

bool story_in_use(const std::filesystem::path& folder) {
  return journal_in_use(folder / kTuneJournalName) || journal_in_use(folder / kSearchJournalName);
}

std::vector<RunFamily> families(const std::vector<CatalogEntry>& runs) {
  std::vector<RunLink> links;
  for (const CatalogEntry& run : runs) links.push_back({run.id, run.parent});
  const Parentage parentage(links);
  std::unordered_map<std::string_view, std::size_t> place;  // of what a user started
  std::vector<RunFamily> out;
  for (const CatalogEntry& run : runs) {
    if (parentage.is_trial(run.id)) continue;
    place[run.id] = out.size();
    out.push_back({.run = run, .trials = {}});
  }
  for (auto run = runs.rbegin(); run != runs.rend(); ++run) {
    if (!parentage.is_trial(run->id)) continue;
    out[place.at(parentage.first_of(run->id))].trials.push_back(*run);
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

std::vector<std::string> ids_of(const RunFamily& family) {
  std::vector<std::string> out;
  for (const CatalogEntry& trial : family.trials) out.push_back(trial.id);
  out.push_back(family.run.id);
  return out;
}

base::Result<std::vector<std::string>> with_trials(const Home& home, const std::string& id,
                                                   const Viewpoint& from) {
  const auto runs = list_runs(home, from);
  if (!runs) return std::unexpected(runs.error());
  const std::vector<RunLink> links = links_of(*runs);
  const Parentage parentage(links);
  std::vector<std::string> out;
  for (const ListedRun& run : *runs) {
    if (run.id != id && parentage.is_or_below(run.id, id)) out.push_back(run.id);
  }
  out.push_back(id);
  return out;
}

base::Result<void> remove_family(const Home& home, std::span<const std::string> ids,
                                 const Viewpoint& from) {
  for (const std::string& id : ids) {
    if (auto free = can_be_removed(home, id, from); !free) return free;
  }
  for (const std::string& id : ids) {
    if (auto done = remove_run(home, id, from); !done) return done;
  }
  return {};
}

}  // namespace flatout::store
