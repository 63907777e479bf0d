#include "serve/runs/run_rows.h"

#include <sys/stat.h>

#include <algorithm>
#include <functional>
#include <unordered_map>
#include <unordered_set>
#include <utility>

#include "app/run_list_json.h"
#include "serve/runs/tracked_json.h"
#include "store/run_family.h"

namespace flatout::serve {
namespace {

Json verdict_json(const std::optional<store::RunOutcome>& outcome) {
  if (!outcome || outcome->finding.empty()) return nullptr;
  return {{"finding", outcome->finding},
          {"cause", outcome->cause},
          {"summary", outcome->summary},
          {"confidence", or_null(std::optional(outcome->confidence))}};
}

Json json_of(const store::CatalogEntry& run, const std::string& kind) {
  const store::RunOutcome none;
  const store::RunOutcome& outcome = run.meta.outcome ? *run.meta.outcome : none;
  const bool readable = run.problem.empty();
  Json out = {
      {"id", run.id},
      {"name", run.name},
      {"state", app::state_of(run)},
      {"started_ms", readable ? Json(run.started_wall_ns / 1'000'000) : Json(nullptr)},
      {"duration_s", readable ? Json(static_cast<double>(run.duration_ns) / 1e9) : Json(nullptr)},
      {"command", run.command},
      {"host", run.host},
      {"kind", kind},
      {"parent", run.parent.empty() ? Json(nullptr) : Json(run.parent)},
      {"tags", run.meta.tags},
      {"note", run.meta.note},
      {"bytes", run.bytes},
      {"problem", readable ? Json(nullptr) : Json(run.problem)},
      {"verdict", verdict_json(run.meta.outcome)},
      {"steps", or_null(outcome.steps)},
      {"median_ms", or_null(outcome.median_ms)},
      {"samples_per_s", or_null(outcome.samples_per_s)},
      {"device_busy", or_null(outcome.device_busy)},
      {"tracked", headline_json(run.meta.tracked)}};
  return out;
}

// Names and times of change of all folders of runs, as one number.
std::uint64_t look_of_folders(const store::Home& home) {
  const auto ids = home.ids();
  if (!ids) return 0;
  std::uint64_t sum = ids->size();
  for (const std::string& id : *ids) {
    struct stat st{};
    if (::lstat(home.folder(id).c_str(), &st) != 0) continue;
    std::uint64_t one = std::hash<std::string>()(id);
    for (const auto part :
         {static_cast<std::uint64_t>(st.st_mtim.tv_sec),
          static_cast<std::uint64_t>(st.st_mtim.tv_nsec), static_cast<std::uint64_t>(st.st_ino)}) {
      one = (one ^ part) * 0x9e3779b97f4a7c15ULL;
    }
    sum += one ^ (one >> 29);  // in no order
  }
  return sum;
}

std::shared_ptr<const RunRow> row_of(store::CatalogEntry entry, std::string kind) {
  auto row = std::make_shared<RunRow>();
  row->json = json_of(entry, kind);
  row->text = dumped(row->json);
  row->entry = std::move(entry);
  row->kind = std::move(kind);
  return row;
}

}  // namespace

base::Result<std::shared_ptr<const RunList>> RunRows::latest() {
  const std::lock_guard lock(mutex_);
  if (list_ && std::chrono::steady_clock::now() - seen_ < kFresh) return list_;
  return as_it_was() ? list_ : look();
}

void RunRows::look_again() {
  const std::lock_guard lock(mutex_);
  seen_ = looked_ = {};
}

// A run that was added, removed, sealed, tagged or summed up has changed a folder: a look at these
// is a tenth of the work of asking the catalog.
bool RunRows::as_it_was() {
  const auto now = std::chrono::steady_clock::now();
  const std::uint64_t before = std::exchange(folders_, look_of_folders(home_));
  if (!list_ || before != folders_) return false;
  const auto goes_on = [](const auto& row) {
    return row->entry.state == run::RunState::kRunning && row->entry.problem.empty();
  };
  const bool may_have_changed = now - looked_ > kLongest && std::ranges::any_of(*list_, goes_on);
  if (may_have_changed || looked_ == std::chrono::steady_clock::time_point()) return false;
  seen_ = now;
  return true;
}

base::Result<std::shared_ptr<const RunList>> RunRows::look() {
  auto listing = store::list_catalog(home_, store::viewpoint_here());
  if (!listing) return std::unexpected(listing.error());
  // Only what has trials can be a tune or a search: the others are not asked for their files.
  std::unordered_set<std::string_view> parents;
  for (const auto& run : listing->runs) {
    if (!run.parent.empty()) parents.insert(run.parent);
  }
  std::vector<std::string> kinds;
  kinds.reserve(listing->runs.size());
  for (const auto& run : listing->runs) {
    std::string kind = run.parent.empty() ? "run" : "trial";
    if (run.parent.empty() && parents.contains(run.id)) {
      kind = store::family_kind_name(store::family_kind(home_.folder(run.id)));
    }
    kinds.push_back(std::move(kind));
  }
  std::unordered_map<std::string_view, std::shared_ptr<const RunRow>> before;
  if (list_) {
    for (const auto& row : *list_) before.emplace(row->entry.id, row);
  }
  auto list = std::make_shared<RunList>();
  list->reserve(listing->runs.size());
  for (std::size_t i = 0; i < listing->runs.size(); ++i) {
    store::CatalogEntry& entry = listing->runs[i];
    const auto known = before.find(entry.id);
    if (known != before.end() && known->second->entry == entry && known->second->kind == kinds[i]) {
      list->push_back(known->second);
    } else {
      list->push_back(row_of(std::move(entry), std::move(kinds[i])));
    }
  }
  list_ = std::move(list);
  seen_ = looked_ = std::chrono::steady_clock::now();
  return list_;
}

std::shared_ptr<const RunRow> RunRows::find(std::string_view id) {
  const auto list = latest();
  if (!list) return nullptr;
  for (const auto& row : **list) {
    if (row->entry.id == id) return row;
  }
  return nullptr;
}

}  // namespace flatout::serve
