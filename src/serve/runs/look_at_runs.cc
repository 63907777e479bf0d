#include "serve/runs/look_at_runs.h"

#include <sys/stat.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <functional>
#include <system_error>
#include <unordered_map>
#include <utility>

#include "app/run_list_json.h"
#include "serve/runs/tracked_json.h"
#include "store/parentage.h"

namespace flatout::serve {
namespace {

Json verdict_json(const std::optional<store::RunOutcome>& outcome) {
  if (!outcome || outcome->finding.empty()) return nullptr;
  return {{"finding", outcome->finding},
          {"cause", outcome->cause},
          {"summary", outcome->summary},
          {"confidence", or_null(std::optional(outcome->confidence))}};
}

// The kind, and where nobody has summed a run up yet its figures so far.
Json json_of(const store::CatalogEntry& run, const RowContext& context) {
  store::RunOutcome outcome;
  outcome.steps = context.figures.steps;
  outcome.median_ms = context.figures.median_ms;
  outcome.samples_per_s = context.figures.samples_per_s;
  if (run.meta.outcome) outcome = *run.meta.outcome;
  const bool readable = run.problem.empty();
  Json out = {
      {"id", run.id},
      {"name", run.name},
      {"state", app::state_of(run)},
      {"started_ms", readable ? Json(run.started_wall_ns / 1'000'000) : Json(nullptr)},
      {"duration_s", readable ? Json(static_cast<double>(run.duration_ns) / 1e9) : Json(nullptr)},
      {"command", run.command},
      {"host", run.host},
      {"kind", context.kind},
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

// For a tune or search the state and the time are those of the whole, as `flatout ls` has them.
void put_family(const store::CatalogEntry& run, const RowContext& context, Json& out) {
  if (context.kind != "tune" && context.kind != "search") return;
  out["trials"] = context.trials;
  if (!run.problem.empty()) return;
  if (context.going_on) out["state"] = "running";
  out["duration_s"] = static_cast<double>(context.duration) / 1e9;
}

enum class Trials : std::uint8_t { kKnown, kNotKnown };

std::shared_ptr<const RunRow> row_of(store::CatalogEntry entry, RowContext context, Trials trials) {
  auto row = std::make_shared<RunRow>();
  row->json = json_of(entry, context);
  if (trials == Trials::kKnown) put_family(entry, context, row->json);
  row->text = dumped(row->json);
  row->entry = std::move(entry);
  row->kind = context.kind;
  row->context = std::move(context);
  return row;
}

bool runs_now(const store::CatalogEntry& run) {
  return run.state == run::RunState::kRunning && run.problem.empty();
}

}  // namespace

Json RunRow::own() const { return json_of(entry, context); }

// One that was deleted, or whose disk was taken away, is not a home without runs.
base::Result<void> LookAtRuns::check_home() {
  std::error_code unknown;
  const bool there = std::filesystem::is_directory(home_.runs(), unknown);
  if (there) was_there_ = true;
  if (there || !was_there_) return {};
  return base::fail(base::ErrorCode::kUnavailable,
                    "the runs of this page are gone: " + home_.runs().string() +
                        " was there and is not any more; put it back (is its disk mounted?), or "
                        "start flatout ui again with --home");
}

// A run that was added, removed, sealed, tagged or summed up has changed a folder: a look at these
// is a tenth of the work of asking the catalog.
bool LookAtRuns::as_it_was() {
  const auto now = std::chrono::steady_clock::now();
  const std::uint64_t before = std::exchange(folders_, look_of_folders(home_));
  if (!list_ || before != folders_) return false;
  const auto goes_on = [](const auto& row) {
    return runs_now(row->entry) || row->context.going_on;
  };
  const bool later = now - looked_ > kLongest || figures_seen_ != figures_.version();
  // The folder of a recording that begins does not change when there is something to read.
  const bool may_have_changed = (later && std::ranges::any_of(*list_, goes_on)) || beginning_;
  return !may_have_changed && looked_ != std::chrono::steady_clock::time_point();
}

// This holds for one without trials, too. Files that come and go change the folder.
store::FamilyKind LookAtRuns::kind_of(const std::string& id) {
  const auto folder = home_.folder(id);
  struct stat st{};
  if (::lstat(folder.c_str(), &st) != 0) return store::FamilyKind::kRun;
  const std::int64_t changed = st.st_mtim.tv_sec * base::kSecond + st.st_mtim.tv_nsec;
  KnownKind& known = kinds_[id];
  // Within the clock's grain another file may come without another time.
  const bool settled = std::chrono::system_clock::now() - std::chrono::system_clock::time_point(
                                                              std::chrono::nanoseconds(changed)) >
                       std::chrono::seconds(2);
  if (known.changed_ns == changed) return known.kind;
  known = {.changed_ns = settled ? changed : 0, .kind = store::family_kind(folder)};
  return known.kind;
}

std::vector<RowContext> LookAtRuns::contexts(const std::vector<store::CatalogEntry>& runs) {
  std::vector<store::RunLink> links;
  links.reserve(runs.size());
  for (const auto& run : runs) links.push_back({run.id, run.parent});
  const store::Parentage parentage(links);
  std::vector<RowContext> out(runs.size());
  std::unordered_map<std::string_view, std::size_t> place;
  if (kinds_.size() > 2 * runs.size() + 64) kinds_.clear();  // of runs that are gone, mostly
  for (std::size_t i = 0; i < runs.size(); ++i) {
    const store::CatalogEntry& run = runs[i];
    if (runs_now(run)) out[i].figures = figures_.get(run.id);
    if (parentage.is_trial(run.id)) {
      out[i].kind = "trial";
      continue;
    }
    place[run.id] = i;
    out[i].kind = run.parent.empty() ? store::family_kind_name(kind_of(run.id)) : "trial";
    out[i].duration = run.duration_ns;
  }
  for (const store::CatalogEntry& run : runs) {
    if (!parentage.is_trial(run.id)) continue;
    const store::CatalogEntry& first = runs[place.at(parentage.first_of(run.id))];
    RowContext& of = out[place.at(parentage.first_of(run.id))];
    ++of.trials;
    of.going_on = of.going_on || runs_now(run);
    of.duration =
        std::max(of.duration, run.started_wall_ns + run.duration_ns - first.started_wall_ns);
  }
  for (std::size_t i = 0; i < runs.size(); ++i) {
    if (out[i].kind != "tune" && out[i].kind != "search") {
      out[i].duration = 0;
      continue;
    }
    out[i].going_on =
        out[i].going_on || runs_now(runs[i]) || store::story_in_use(home_.folder(runs[i].id));
  }
  return out;
}

std::shared_ptr<const RunList> LookAtRuns::rows_of(std::vector<store::CatalogEntry> runs) {
  std::vector<RowContext> found = contexts(runs);
  std::unordered_map<std::string_view, std::shared_ptr<const RunRow>> before;
  if (list_) {
    for (const auto& row : *list_) before.emplace(row->entry.id, row);
  }
  auto list = std::make_shared<RunList>();
  list->reserve(runs.size());
  for (std::size_t i = 0; i < runs.size(); ++i) {
    store::CatalogEntry& entry = runs[i];
    const auto known = before.find(entry.id);
    if (known != before.end() && known->second->entry == entry &&
        known->second->context == found[i]) {
      list->push_back(known->second);
    } else {
      list->push_back(row_of(std::move(entry), std::move(found[i]), Trials::kKnown));
    }
  }
  list_ = std::move(list);
  return list_;
}

base::Result<SeenRuns> LookAtRuns::look(const Part& part, const std::function<bool()>& stop) {
  if (auto there = check_home(); !there) return std::unexpected(there.error());
  if (as_it_was()) return SeenRuns{list_, 0};
  const std::size_t known = list_ ? list_->size() : 0;
  figures_seen_ = figures_.version();
  auto listing =
      store::list_catalog(home_, store::viewpoint_here(),
                          {.take =
                               [&](store::CatalogListing so_far) {
                                 // Until a part has more to show, the list that was whole, if a
                                 // little old, is better.
                                 if (so_far.runs.size() > known)
                                   part({rows_of(std::move(so_far.runs)), so_far.unread});
                               },
                           .stop = stop});
  if (!listing) return std::unexpected(listing.error());
  beginning_ = listing->beginning > 0;
  SeenRuns seen{rows_of(std::move(listing->runs)), listing->unread};
  looked_ = std::chrono::steady_clock::now();
  return seen;
}

std::shared_ptr<const RunRow> LookAtRuns::one(const std::string& id) {
  std::vector<store::CatalogEntry> alone = {store::list_one(home_, id, store::viewpoint_here())};
  std::vector<RowContext> context = contexts(alone);
  return row_of(std::move(alone.front()), std::move(context.front()), Trials::kNotKnown);
}

}  // namespace flatout::serve
