#include "trackers/mlflow/database.h"

#include <sqlite3.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <memory>
#include <optional>
#include <string_view>

#include "base/file.h"
#include "trackers/input_file.h"
#include "trackers/json_text.h"
#include "trackers/mlflow/run_words.h"

namespace flatout::trackers::mlflow {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view kSqliteMagic = "SQLite format 3";
constexpr std::array<std::string_view, 5> kTables = {"experiments", "metrics", "params", "runs",
                                                     "tags"};
constexpr int kBusyMs = 2000;
constexpr std::size_t kLongestText = 1U << 20;

std::string uri_of(const fs::path& path, const char* options) {
  constexpr std::string_view kHex = "0123456789ABCDEF";
  constexpr std::string_view kPlain =
      "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789/.-_";
  std::string uri = "file://";
  for (const char c : fs::absolute(path).string()) {
    const auto byte = static_cast<unsigned char>(c);
    if (kPlain.contains(c)) {
      uri.push_back(c);
    } else {
      uri.append({'%', kHex[byte >> 4], kHex[byte & 15]});
    }
  }
  return uri + options;
}

bool keeps_write_ahead_log(const fs::path& path) {
  constexpr std::size_t kReadVersion = 19;  // of the format of the file
  auto file = InputFile::open(path);
  char begin[kReadVersion + 1];
  const auto whole = file ? file->read_exactly(begin) : base::Result<bool>(false);
  return whole && *whole && begin[kReadVersion] == 2;
}

// Nothing is made or written beside the database: of one with a write-ahead log, SQLite makes an
// index of the log there also to read only, and leaves it.
base::Result<std::string> uri_to_read(const fs::path& path) {
  if (!keeps_write_ahead_log(path)) return uri_of(path, "");
  const fs::path log = path.string() + "-wal", index = path.string() + "-shm";
  std::error_code ignored;
  if (fs::exists(index, ignored)) return uri_of(path, "?readonly_shm=1");
  if (base::file_bytes(log) == 0) return uri_of(path, "?immutable=1");
  return base::fail(base::ErrorCode::kInvalid,
                    path.string() + " has changes that are only in " + log.filename().string() +
                        "; to read them, files would be made beside it: open it once with MLflow, "
                        "or run: sqlite3 FILE 'PRAGMA wal_checkpoint'");
}

class Rows {
 public:
  explicit Rows(sqlite3_stmt* statement) : statement_(statement, sqlite3_finalize) {}
  bool step() { return statement_ && sqlite3_step(statement_.get()) == SQLITE_ROW; }
  void bind(const std::string& value) {
    if (!statement_) return;
    sqlite3_bind_text(statement_.get(), 1, value.data(), static_cast<int>(value.size()),
                      SQLITE_TRANSIENT);
  }
  std::string text(int column) const {
    const auto* bytes = sqlite3_column_text(statement_.get(), column);
    if (bytes == nullptr) return "";
    const auto size = static_cast<std::size_t>(sqlite3_column_bytes(statement_.get(), column));
    return std::string(reinterpret_cast<const char*>(bytes), std::min(size, kLongestText));
  }
  std::int64_t integer(int column) const { return sqlite3_column_int64(statement_.get(), column); }
  double real(int column) const { return sqlite3_column_double(statement_.get(), column); }

 private:
  std::unique_ptr<sqlite3_stmt, int (*)(sqlite3_stmt*)> statement_;
};

class Database {
 public:
  static base::Result<Database> open(const fs::path& path) {
    const auto uri = uri_to_read(path);
    if (!uri) return std::unexpected(uri.error());
    sqlite3* raw = nullptr;
    constexpr int kFlags = SQLITE_OPEN_READONLY | SQLITE_OPEN_URI;
    const int done = sqlite3_open_v2(uri->c_str(), &raw, kFlags, nullptr);
    Database out(raw, path.string());
    if (done != SQLITE_OK) return out.problem();
    sqlite3_busy_timeout(raw, kBusyMs);
    // It may be anybody's: what its schema would run is not run.
    sqlite3_db_config(raw, SQLITE_DBCONFIG_DEFENSIVE, 1, nullptr);
    sqlite3_db_config(raw, SQLITE_DBCONFIG_TRUSTED_SCHEMA, 0, nullptr);
    return out;
  }

  Rows rows(const char* sql) {
    sqlite3_stmt* statement = nullptr;
    sqlite3_prepare_v2(handle_.get(), sql, -1, &statement, nullptr);
    return Rows(statement);
  }
  // After the last row: whether that was the end.
  bool failed() const {
    const int code = sqlite3_errcode(handle_.get());
    return code != SQLITE_OK && code != SQLITE_DONE && code != SQLITE_ROW;
  }
  std::unexpected<base::Error> problem() const {
    return base::fail(base::ErrorCode::kCorrupt,
                      name_ + " cannot be read: " + sqlite3_errmsg(handle_.get()));
  }

  // Tables, and no views, which could be anything.
  bool is_mlflow() {
    Rows found = rows("SELECT name FROM sqlite_master WHERE type = 'table'");
    std::vector<std::string> names;
    while (found.step()) names.push_back(found.text(0));
    return std::ranges::all_of(kTables, [&](std::string_view table) {
      return std::ranges::find(names, table) != names.end();
    });
  }

 private:
  Database(sqlite3* handle, std::string name)
      : handle_(handle, sqlite3_close), name_(std::move(name)) {}
  std::unique_ptr<sqlite3, int (*)(sqlite3*)> handle_;
  std::string name_;
};

class DatabaseRun {
 public:
  DatabaseRun(Database& database, std::string run, ImportSink& sink)
      : database_(database), run_(std::move(run)), sink_(sink), values_(sink) {}

  base::Result<void> read() {
    Rows row = database_.rows(
        "SELECT r.name, r.user_id, r.source_name, r.status, r.start_time, r.end_time, e.name, "
        "r.artifact_uri FROM runs r LEFT JOIN experiments e USING (experiment_id) "
        "WHERE r.run_uuid = ?");
    row.bind(run_);
    if (!row.step()) {
      if (database_.failed()) return database_.problem();
      return base::fail(base::ErrorCode::kNotFound, "MLflow's run " + run_ + " is gone");
    }
    ImportedHead head;
    head.source = "mlflow";
    head.id = run_;
    head.name = row.text(0);
    head.entity = row.text(1);
    head.command = row.text(2);
    head.started_wall_ns = ns_of_ms(row.integer(4));
    head.project = row.text(6);
    const std::string status = row.text(3);
    const std::int64_t ended_ns = ns_of_ms(row.integer(5));
    const std::string artifacts = row.text(7);
    if (auto done = tags(head); !done) return done;
    if (head.name.empty()) head.name = head.id;
    last_ns_ = head.started_wall_ns;
    if (auto done = sink_.begin(head); !done) return done;
    if (auto done = params(); !done) return done;
    if (auto done = metrics(); !done) return done;
    note_artifacts(artifacts, sink_);
    return sink_.end(end_of(status), std::nullopt, std::max(last_ns_, ended_ns));
  }

 private:
  base::Result<void> tags(ImportedHead& head) {
    Rows row = database_.rows("SELECT key, value FROM tags WHERE run_uuid = ? ORDER BY key");
    row.bind(run_);
    while (row.step()) take_tag(row.text(0), row.text(1), head);
    if (database_.failed()) return database_.problem();
    return {};
  }

  base::Result<void> params() {
    Json set = Json::object();
    Rows row = database_.rows("SELECT key, value FROM params WHERE run_uuid = ? ORDER BY key");
    row.bind(run_);
    while (row.step()) set[row.text(0)] = param_value(row.text(1));
    if (database_.failed()) return database_.problem();
    if (set.empty()) return {};
    return sink_.fact("track_config", text_of({{"set", set}}), last_ns_);
  }

  base::Result<void> metrics() {
    Rows row = database_.rows(
        "SELECT key, value, timestamp, step, is_nan FROM metrics WHERE run_uuid = ? "
        "ORDER BY key, timestamp, step");
    row.bind(run_);
    while (row.step()) {
      const std::int64_t wall_ns = ns_of_ms(row.integer(2));
      last_ns_ = std::max(last_ns_, wall_ns);
      const bool is_nan = row.integer(4) != 0;
      const auto done = values_.add({.wall_ns = wall_ns,
                                     .value = is_nan ? std::nan("") : or_infinite(row.real(1)),
                                     .step = row.integer(3),
                                     .name = row.text(0)});
      if (!done) return done;
    }
    if (database_.failed()) return database_.problem();
    return values_.flush();
  }

  // The largest number stands for it, as its column holds finite ones.
  static double or_infinite(double value) {
    constexpr double kMost = std::numeric_limits<double>::max();
    if (value >= kMost) return std::numeric_limits<double>::infinity();
    return value <= -kMost ? -std::numeric_limits<double>::infinity() : value;
  }

  Database& database_;
  std::string run_;
  ImportSink& sink_;
  ValueBatch values_;
  std::int64_t last_ns_ = 0;
};

}  // namespace

bool may_be_database(const fs::path& path) {
  const std::string ending = path.extension().string();
  if (ending != ".db" && ending != ".sqlite" && ending != ".sqlite3") return false;
  auto file = InputFile::open(path);
  if (!file) return false;
  char begin[kSqliteMagic.size()];
  const auto got = file->read(begin);
  return got && *got == sizeof begin && std::string_view(begin, sizeof begin) == kSqliteMagic;
}

base::Result<std::vector<std::string>> database_runs(const fs::path& path, std::size_t most) {
  auto database = Database::open(path);
  if (!database) return std::unexpected(database.error());
  std::vector<std::string> out;
  if (!database->is_mlflow()) {
    if (database->failed()) return database->problem();
    return out;
  }
  Rows row = database->rows(
      "SELECT run_uuid FROM runs WHERE lifecycle_stage = 'active' ORDER BY start_time, run_uuid");
  while (out.size() < most && row.step()) {
    if (std::string id = row.text(0); is_run_name(id)) out.push_back(std::move(id));
  }
  if (database->failed()) return database->problem();
  return out;
}

base::Result<void> read_database_run(const fs::path& path, const std::string& run,
                                     ImportSink& sink) {
  auto database = Database::open(path);
  if (!database) return std::unexpected(database.error());
  return DatabaseRun(*database, run, sink).read();
}

}  // namespace flatout::trackers::mlflow
