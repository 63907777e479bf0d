#include "store/catalog.h"

#include <fcntl.h>
#include <sys/stat.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <cstdlib>
#include <map>
#include <optional>
#include <system_error>
#include <unordered_map>
#include <unordered_set>
#include <utility>

#include "base/file.h"
#include "base/joined.h"
#include "run/plausible.h"
#include "store/catalog_entry.h"
#include "store/log_file.h"
#include "store/outcome_fields.h"
#include "store/seal.h"
#include "store/sealed/packing.h"
#include "store/sealed/sqlite.h"
#include "store/staging.h"
#include "store/tracked_fields.h"

namespace flatout::store {
namespace {

namespace fs = std::filesystem;
using base::ErrorCode;
using base::Result;

constexpr std::int64_t kCatalogVersion = 1;
// The wait for another flatout that writes; longer than any of them does.
constexpr int kBusyMs = 500;

// A rollback journal, not WAL: it leaves one file, needs no shared memory, and
// works on network file systems as far as anything does.
constexpr const char* kSchema =
    "PRAGMA journal_mode=TRUNCATE; PRAGMA synchronous=OFF;"
    "CREATE TABLE IF NOT EXISTS run(id TEXT PRIMARY KEY, stamp INTEGER, name TEXT, state TEXT,"
    " started_wall_ns INTEGER, duration_ns INTEGER, verdict TEXT, steps INTEGER, median_ms REAL,"
    " samples_per_s REAL, bytes INTEGER, tags TEXT, note TEXT, row TEXT) WITHOUT ROWID;";

fs::path catalog_path(const Home& home) { return home.root() / "catalog.sqlite"; }

// ---- rows

// All but the meta, which has its own file and is as quick to read.
std::string to_row(const CatalogEntry& entry) {
  Json json = {{"name", entry.name},
               {"state", static_cast<int>(entry.state)},
               {"started_wall_ns", entry.started_wall_ns},
               {"duration_ns", entry.duration_ns},
               {"command", entry.command},
               {"host", entry.host},
               {"parent", entry.parent},
               {"sealed", entry.sealed},
               {"bytes", entry.bytes},
               {"tags", entry.meta.tags},
               {"note", entry.meta.note}};
  if (entry.meta.outcome) {
    json["outcome"] = dump(write_fields(*entry.meta.outcome, kOutcomeFields));
  }
  if (entry.meta.tracked) json["tracked"] = dump(to_json(*entry.meta.tracked));
  return dump(json);
}

std::optional<CatalogEntry> from_row(std::string_view id, std::string_view row) {
  CatalogEntry entry;
  entry.id = id;
  int state = 0;
  std::optional<std::string> told;
  Fields fields(row, "catalog");
  fields.require("name", entry.name);
  fields.require("state", state);
  fields.require("started_wall_ns", entry.started_wall_ns);
  fields.require("duration_ns", entry.duration_ns);
  fields.require("command", entry.command);
  fields.require("host", entry.host);
  fields.require("parent", entry.parent);  // a row without it is made anew
  fields.require("sealed", entry.sealed);
  fields.require("bytes", entry.bytes);
  fields.require("tags", entry.meta.tags);
  fields.require("note", entry.meta.note);
  fields.read("outcome", told);
  std::optional<std::string> tracked;
  fields.read("tracked", tracked);
  const bool times =
      run::plausible_wall_ns(entry.started_wall_ns) && run::plausible_ns(entry.duration_ns);
  if (!fields.done(0) || !times || state < 0 || state > static_cast<int>(run::RunState::kLost)) {
    return std::nullopt;
  }
  entry.state = static_cast<run::RunState>(state);
  if (tracked) {
    const auto json = parse_shallow(*tracked);
    if (json) entry.meta.tracked = tracked_from(*json);
  }
  if (!told) return entry;
  auto outcome = read_fields<RunOutcome>(*told, "outcome", kOutcomeFields);
  if (!outcome) return std::nullopt;
  entry.meta.outcome = std::move(*outcome);
  return entry;
}

struct Cached {
  std::int64_t stamp = 0;
  CatalogEntry entry;
};
using Cache = std::map<std::string, Cached, std::less<>>;

Result<Cache> load(Database& database) {
  Cache cache;
  auto rows = database.prepare("SELECT id, stamp, row FROM run");
  if (!rows) return std::unexpected(rows.error());
  while (rows->step()) {
    const std::string id(rows->bytes(0));
    auto entry = from_row(id, rows->bytes(2));
    if (entry) cache[id] = {rows->integer(1), std::move(*entry)};
  }
  if (rows->failed()) return std::unexpected(rows->error());
  return cache;
}

Result<void> write_row(Statement& insert, const CatalogEntry& entry, std::int64_t stamp) {
  const std::string row = to_row(entry);
  const std::string tags = dump(entry.meta.tags);
  insert.bind_text(1, entry.id).bind(2, stamp).bind_text(3, entry.name);
  insert.bind_text(4, run::state_name(entry.state)).bind(5, entry.started_wall_ns);
  insert.bind(6, entry.duration_ns).bind(11, static_cast<std::int64_t>(entry.bytes));
  insert.bind_text(12, tags).bind_text(13, entry.meta.note).bind_text(14, row);
  // What is not known is NULL, as parameters are that nobody binds.
  if (const auto& outcome = entry.meta.outcome) {
    insert.bind_text(7, outcome->finding);
    if (outcome->steps) insert.bind(8, *outcome->steps);
    if (outcome->median_ms) insert.bind(9, *outcome->median_ms);
    if (outcome->samples_per_s) insert.bind(10, *outcome->samples_per_s);
  }
  return insert.run();
}

struct Change {
  const CatalogEntry* entry;
  std::int64_t stamp;
};

Result<void> write_changes(Database& database, const std::vector<Change>& changes,
                           const std::vector<std::string>& vanished) {
  if (changes.empty() && vanished.empty()) return {};
  auto insert = database.prepare("INSERT OR REPLACE INTO run VALUES(?,?,?,?,?,?,?,?,?,?,?,?,?,?)");
  auto remove = database.prepare("DELETE FROM run WHERE id=?");
  if (!insert) return std::unexpected(insert.error());
  if (!remove) return std::unexpected(remove.error());
  if (auto begun = database.execute("BEGIN IMMEDIATE"); !begun) return begun;
  Result<void> done;
  for (const auto& change : changes) {
    if (done) done = write_row(*insert, *change.entry, change.stamp);
  }
  for (const auto& id : vanished) {
    if (done) done = remove->bind_text(1, id).run();
  }
  if (done) return database.execute("COMMIT");
  (void)database.execute("ROLLBACK");
  return done;
}

// ---- the file

// Names, notes and commands of all runs are in it. SQLite gives its journals the same mode.
void make_private(const fs::path& path) {
  const base::UniqueFd file(
      ::open(path.c_str(), O_RDONLY | O_CREAT | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC, 0600));
  if (file) (void)::fchmod(file.get(), 0600);  // one made by an older flatout
}

// Word for word: a view called `run` could keep a listing busy for ever.
Result<void> check_schema(Database& database, const fs::path& path) {
  const auto schema = database.schema();
  if (!schema) return std::unexpected(schema.error());
  static const auto expected = Database::schema_after(kSchema);
  if (!expected) return std::unexpected(expected.error());
  if (schema->empty() || *schema == *expected) return {};
  return base::fail(ErrorCode::kCorrupt, path.string() + " holds more than a catalog does");
}

Result<Database> open_catalog(const Home& home) {
  make_private(catalog_path(home));
  auto database = Database::shared(catalog_path(home), kBusyMs);
  if (!database) return database;
  const auto version = database->integer("PRAGMA user_version");
  if (!version) return std::unexpected(version.error());
  if (**version > kCatalogVersion) {
    return base::fail(ErrorCode::kUnavailable,
                      catalog_path(home).string() + " was made by a newer flatout and is not used");
  }
  if (auto sane = check_schema(*database, catalog_path(home)); !sane) {
    return std::unexpected(sane.error());
  }
  if (**version == kCatalogVersion) return database;
  if (auto made = database->execute(kSchema); !made) return std::unexpected(made.error());
  if (auto made = database->execute("PRAGMA user_version=1"); !made) {
    return std::unexpected(made.error());
  }
  return database;
}

struct Opened {
  Database database;
  Cache cache;
};

Result<Opened> open_and_load(const Home& home) {
  auto database = open_catalog(home);
  if (!database) return std::unexpected(database.error());
  auto cache = load(*database);
  if (!cache) return std::unexpected(cache.error());
  return Opened{std::move(*database), std::move(*cache)};
}

// A damaged catalog is thrown away once, and made anew.
Result<Opened> open_or_rebuild(const Home& home) {
  auto opened = open_and_load(home);
  if (opened || opened.error().code != ErrorCode::kCorrupt) return opened;
  if (auto dropped = drop_catalog(home); !dropped) return std::unexpected(dropped.error());
  return open_and_load(home);
}

bool newer(const CatalogEntry& a, const CatalogEntry& b) {
  if (a.problem.empty() != b.problem.empty()) return a.problem.empty();
  return a.started_wall_ns != b.started_wall_ns ? a.started_wall_ns > b.started_wall_ns
                                                : a.id < b.id;
}

}  // namespace

Result<void> drop_catalog(const Home& home) {
  // The journals first: they must not be played back into a new file. Ours has no
  // -wal, but a damaged header may have asked for one.
  for (const char* tail : {"-journal", "-wal", "-shm", ""}) {
    std::error_code err;
    fs::remove(catalog_path(home).string() + tail, err);
    if (err) return base::fail_errno(err.value(), "cannot remove " + catalog_path(home).string());
  }
  return {};
}

namespace {

// Folders change with their runs: the newest first, near enough.
std::vector<std::string> newest_first(const Home& home, const std::vector<std::string>& ids) {
  std::vector<std::pair<std::int64_t, const std::string*>> order;
  order.reserve(ids.size());
  for (const auto& id : ids) {
    struct stat st{};
    if (::lstat(home.folder(id).c_str(), &st) != 0) st = {};
    order.emplace_back((st.st_mtim.tv_sec * base::kSecond) + st.st_mtim.tv_nsec, &id);
  }
  std::ranges::sort(order, [](const auto& a, const auto& b) { return a.first > b.first; });
  std::vector<std::string> out;
  out.reserve(ids.size());
  for (const auto& [changed, id] : order) out.push_back(*id);
  return out;
}

// When somebody is to be given what there is: each time after twice as long as before.
class Pace {
 public:
  explicit Pace(const ListProgress& progress) : progress_(progress) {}
  void look(const CatalogListing& so_far, std::size_t unread) {
    const auto now = std::chrono::steady_clock::now();
    if (!progress_.take || unread == 0 || now - began_ < next_) return;
    next_ = 2 * (now - began_);
    CatalogListing part = so_far;
    part.unread = unread;
    std::ranges::sort(part.runs, newer);
    progress_.take(std::move(part));
  }
  bool stopped() const { return progress_.stop && progress_.stop(); }

 private:
  const ListProgress& progress_;
  std::chrono::steady_clock::time_point began_ = std::chrono::steady_clock::now();
  std::chrono::steady_clock::duration next_ = progress_.moment;
};

// Adds the run to the listing. The stamp that its row is to be kept under, nothing where it is
// there already or may not be.
std::optional<std::int64_t> list_run(const Home& home, const std::string& id, const Viewpoint& from,
                                     const Cache& cache, CatalogListing& listing) {
  const std::int64_t stamp = stamp_of(home.folder(id));
  const auto cached = cache.find(id);
  if (cached != cache.end() && cached->second.stamp == stamp) {
    listing.runs.push_back(cached->second.entry);
    return std::nullopt;
  }
  CatalogEntry entry = read_entry(home, id, from);
  if (!entry.problem.empty() && is_young(home.folder(id), from)) {
    ++listing.beginning;
    if (has_nothing(home.folder(id))) return std::nullopt;
  }
  listing.runs.push_back(std::move(entry));
  ++listing.read_anew;
  return may_keep(listing.runs.back()) ? std::optional(stamp) : std::nullopt;
}

// Of these runs. `damaged`: the catalog can be read, but not be brought up to date.
CatalogListing list_runs_of(const Home& home, const std::vector<std::string>& ids,
                            const Viewpoint& from, const ListProgress& progress, bool& damaged) {
  CatalogListing listing;
  auto opened = open_or_rebuild(home);
  if (!opened) listing.problem = opened.error().message;
  const Cache none;
  const Cache& cache = opened ? opened->cache : none;
  std::unordered_map<std::string, std::int64_t> fresh;  // id -> stamp
  Pace pace(progress);
  std::size_t done = 0;
  for (const auto& id : newest_first(home, ids)) {
    if (pace.stopped()) break;
    if (const auto stamp = list_run(home, id, from, cache, listing)) fresh[id] = *stamp;
    ++done;
    pace.look(listing, ids.size() - done);
  }
  listing.unread = ids.size() - done;
  const std::unordered_set<std::string_view> there(ids.begin(), ids.end());
  std::vector<std::string> vanished;
  for (const auto& [id, cached] : cache) {
    if (!there.contains(id)) vanished.push_back(id);
  }
  std::ranges::sort(listing.runs, newer);
  std::vector<Change> changes;
  for (const auto& entry : listing.runs) {
    if (const auto found = fresh.find(entry.id); found != fresh.end()) {
      changes.push_back({&entry, found->second});
    }
  }
  if (!opened) return listing;
  if (auto written = write_changes(opened->database, changes, vanished); !written) {
    listing.problem = written.error().message;
    damaged = written.error().code == ErrorCode::kCorrupt;
  }
  return listing;
}

}  // namespace

CatalogEntry list_one(const Home& home, const std::string& id, const Viewpoint& from) {
  return read_entry(home, id, from);
}

Result<CatalogListing> list_catalog(const Home& home, const Viewpoint& from,
                                    const ListProgress& progress) {
  const auto ids = home.ids();
  if (!ids) return std::unexpected(ids.error());
  std::error_code unknown;
  if (ids->empty() && !fs::exists(catalog_path(home), unknown)) return CatalogListing{};
  bool damaged = false;
  auto listing = list_runs_of(home, *ids, from, progress, damaged);
  // Once: where it stays so, the listing says it.
  if (damaged && drop_catalog(home)) listing = list_runs_of(home, *ids, from, progress, damaged);
  return listing;
}

}  // namespace flatout::store
