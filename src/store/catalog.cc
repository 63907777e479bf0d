#include "store/catalog.h"

#include <fcntl.h>
#include <sys/stat.h>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <map>
#include <optional>
#include <system_error>
#include <utility>

#include "base/file.h"
#include "base/joined.h"
#include "run/plausible.h"
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

// ---- what a row is made of

// Sizes and times of the files that a row is made from, and their bytes.
struct Stamp {
  std::int64_t value = 0;
  std::uint64_t bytes = 0;
};

Stamp stamp_of(const fs::path& folder) {
  Stamp stamp;
  std::string text;
  const std::array<fs::path, 3> files = {log_path(folder), folder / kSealedFileName,
                                         folder / kMetaFileName};
  for (const auto& file : files) {
    struct stat st{};
    if (::lstat(file.c_str(), &st) != 0) st = {};
    stamp.bytes += static_cast<std::uint64_t>(st.st_size);
    text += std::to_string(st.st_size) + ' ' + std::to_string(st.st_mtim.tv_sec) + '.' +
            std::to_string(st.st_mtim.tv_nsec) + ' ' + std::to_string(st.st_ino) + ';';
  }
  stamp.value = checksum_of(text, static_cast<std::uint64_t>(kCatalogVersion));
  return stamp;
}

CatalogEntry read_entry(const Home& home, const std::string& id, const Viewpoint& from,
                        std::uint64_t bytes) {
  CatalogEntry entry;
  entry.id = id;
  entry.bytes = bytes;
  entry.meta = read_meta(home.folder(id)).value_or(RunMeta{});
  const auto summary = read_summary(home.folder(id), from);
  if (!summary) {
    entry.problem = summary.error().message;
    return entry;
  }
  const run::RunInfo& info = summary->info;
  entry.name = info.name;
  entry.state = summary->state;
  entry.started_wall_ns = info.started_wall_ns;
  entry.command = base::joined(info.command);
  entry.host = info.host;
  entry.parent = info.parent.value_or("");
  entry.sealed = summary->sealed;
  if (summary->end) {
    entry.duration_ns = summary->end->t_ns - info.started_ns;
  } else {
    const bool running = summary->state == run::RunState::kRunning;
    const base::WallNs until = running ? from.wall_ns : summary->log_changed_ns;
    entry.duration_ns = std::max<base::DurationNs>(until - info.started_wall_ns, 0);
  }
  return entry;
}

bool is_young(const fs::path& folder, const Viewpoint& from) {
  constexpr base::DurationNs kYoung = 60 * base::kSecond;
  struct stat st{};
  if (::lstat(folder.c_str(), &st) != 0) return false;
  const base::WallNs changed = (st.st_mtim.tv_sec * base::kSecond) + st.st_mtim.tv_nsec;
  return std::abs(from.wall_ns - changed) < kYoung;
}

// A recorder makes the folder first, then an empty log.
bool has_nothing(const fs::path& folder) {
  struct stat st{};
  if (::lstat((folder / kSealedFileName).c_str(), &st) == 0) return false;
  return ::lstat(log_path(folder).c_str(), &st) != 0 || st.st_size == 0;
}

// State and duration of a run that goes on change without any file doing so.
bool may_keep(const CatalogEntry& entry) {
  return entry.problem.empty() && entry.state != run::RunState::kRunning;
}

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

// Of these runs. `damaged`: the catalog can be read, but not be brought up to date.
CatalogListing list_runs_of(const Home& home, const std::vector<std::string>& ids,
                            const Viewpoint& from, bool& damaged) {
  CatalogListing listing;
  auto opened = open_or_rebuild(home);
  if (!opened) listing.problem = opened.error().message;
  const Cache none;
  const Cache& cache = opened ? opened->cache : none;
  std::map<std::string, std::int64_t> fresh;  // id -> stamp
  for (const auto& id : ids) {
    const Stamp stamp = stamp_of(home.folder(id));
    const auto cached = cache.find(id);
    if (cached != cache.end() && cached->second.stamp == stamp.value) {
      listing.runs.push_back(cached->second.entry);
      continue;
    }
    CatalogEntry entry = read_entry(home, id, from, stamp.bytes);
    if (!entry.problem.empty() && is_young(home.folder(id), from)) {
      ++listing.beginning;
      if (has_nothing(home.folder(id))) continue;
    }
    listing.runs.push_back(std::move(entry));
    ++listing.read_anew;
    if (may_keep(listing.runs.back())) fresh[id] = stamp.value;
  }
  std::vector<std::string> vanished;
  for (const auto& [id, cached] : cache) {
    if (std::ranges::find(ids, id) == ids.end()) vanished.push_back(id);
  }
  std::ranges::sort(listing.runs, newer);
  std::vector<Change> changes;
  for (const auto& entry : listing.runs) {
    if (const auto found = fresh.find(entry.id); found != fresh.end()) {
      changes.push_back({&entry, found->second});
    }
  }
  if (!opened) return listing;
  if (auto done = write_changes(opened->database, changes, vanished); !done) {
    listing.problem = done.error().message;
    damaged = done.error().code == ErrorCode::kCorrupt;
  }
  return listing;
}

}  // namespace

Result<CatalogListing> list_catalog(const Home& home, const Viewpoint& from) {
  const auto ids = home.ids();
  if (!ids) return std::unexpected(ids.error());
  std::error_code unknown;
  if (ids->empty() && !fs::exists(catalog_path(home), unknown)) return CatalogListing{};
  bool damaged = false;
  auto listing = list_runs_of(home, *ids, from, damaged);
  // Once: where it stays so, the listing says it.
  if (damaged && drop_catalog(home)) listing = list_runs_of(home, *ids, from, damaged);
  return listing;
}

}  // namespace flatout::store
