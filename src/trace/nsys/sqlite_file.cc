#include "trace/nsys/sqlite_file.h"

#include <fcntl.h>
#include <sqlite3.h>
#include <unistd.h>

#include <algorithm>
#include <cstring>
#include <utility>

#include "base/ascii.h"
#include "base/file.h"

namespace flatout::trace {
namespace {

constexpr int kLongestValue = 1 << 20;
constexpr int kLongestSql = 64 << 10;  // of a table's definition, with the exporter's comments
constexpr int kStepsAtOnce = 1000;
// A row costs some twenty steps, with as many columns as are asked for here.
constexpr std::int64_t kStepsOfRow = 32;
constexpr std::uintmax_t kLeastBytesOfRow = 4;
constexpr std::int64_t kStepsOfTable = 16;  // to load its definition, and to list it

bool same_name(std::string_view a, std::string_view b) {
  return std::ranges::equal(a, b, {}, base::lower, base::lower);
}

// A schema is text that anybody may have written: it may call a view a table. What its definition
// itself calls an ordinary table of this name is one. SQLite keeps definitions in this form.
bool defines_table(std::string_view sql, std::string_view name) {
  constexpr std::string_view kCreate = "CREATE TABLE ";
  if (!same_name(sql.substr(0, kCreate.size()), kCreate)) return false;
  sql.remove_prefix(kCreate.size());
  const bool quoted = !sql.empty() && (sql[0] == '"' || sql[0] == '\'' || sql[0] == '[');
  const char closing = !quoted ? '\0' : sql[0] == '[' ? ']' : sql[0];
  if (quoted) sql.remove_prefix(1);
  if (!same_name(sql.substr(0, name.size()), name)) return false;
  sql.remove_prefix(name.size());
  if (quoted) {
    if (sql.empty() || sql[0] != closing) return false;
    sql.remove_prefix(1);
  }
  const std::size_t next = sql.find_first_not_of(" \t\r\n");
  return next != std::string_view::npos && sql[next] == '(';
}

// Reading tables and asking for their columns is all that is allowed; `inner` is the view or
// trigger that would do it.
int only_reading(void*, int action, const char* first, const char*, const char*,
                 const char* inner) {
  if (inner != nullptr) return SQLITE_DENY;
  if (action == SQLITE_SELECT || action == SQLITE_READ) return SQLITE_OK;
  const bool asks = action == SQLITE_PRAGMA && std::strcmp(first, "table_info") == 0;
  return asks ? SQLITE_OK : SQLITE_DENY;
}

int spend_steps(void* budget) {
  auto& left = static_cast<StepBudget*>(budget)->left;
  left -= kStepsAtOnce;
  return left < 0 ? 1 : 0;
}

// No tree of pages holds more rows than its file has bytes for, but a damaged one, whose branches
// meet again, may seem to.
std::int64_t steps_of_all_rows(const std::filesystem::path& path) {
  std::error_code failed;
  const std::uintmax_t bytes = std::filesystem::file_size(path, failed);
  const std::uintmax_t rows = failed ? 0 : bytes / kLeastBytesOfRow;
  return static_cast<std::int64_t>(std::min<std::uintmax_t>(rows, SqliteFile::kMostRows)) *
             kStepsOfRow +
         std::int64_t{1'000'000};
}

// A file's name as part of a URI.
std::string uri_of(const std::filesystem::path& path) {
  constexpr std::string_view kHex = "0123456789ABCDEF";
  std::string uri = "file://";
  for (const char c : std::filesystem::absolute(path).string()) {
    const auto byte = static_cast<unsigned char>(c);
    const bool plain = (byte >= '0' && byte <= '9') ||
                       (base::lower(c) >= 'a' && base::lower(c) <= 'z') || c == '/' || c == '.' ||
                       c == '-' || c == '_';
    if (plain) {
      uri.push_back(c);
    } else {
      uri.append({'%', kHex[byte >> 4], kHex[byte & 15]});
    }
  }
  return uri + "?immutable=1";
}

}  // namespace

TableRows::TableRows(TableRows&& other) noexcept
    : statement_(std::exchange(other.statement_, nullptr)),
      budget_(other.budget_),
      problem_(std::move(other.problem_)) {}
TableRows::~TableRows() { sqlite3_finalize(statement_); }

bool TableRows::next() {
  const int status = sqlite3_step(statement_);
  if (status == SQLITE_ROW) return true;
  if (status == SQLITE_INTERRUPT && budget_->left < 0) {
    problem_ = "has more rows than flatout reads";
  } else if (status != SQLITE_DONE) {
    problem_ = sqlite3_errmsg(sqlite3_db_handle(statement_));
  }
  return false;
}

std::optional<std::int64_t> TableRows::integer(std::size_t column) const {
  const int at = static_cast<int>(column);
  if (sqlite3_column_type(statement_, at) != SQLITE_INTEGER) return std::nullopt;
  return sqlite3_column_int64(statement_, at);
}

std::optional<std::string_view> TableRows::text(std::size_t column) const {
  const int at = static_cast<int>(column);
  if (sqlite3_column_type(statement_, at) != SQLITE_TEXT) return std::nullopt;
  const unsigned char* const data = sqlite3_column_text(statement_, at);  // UTF-8 also of UTF-16
  const auto size = static_cast<std::size_t>(sqlite3_column_bytes(statement_, at));
  if (data == nullptr) return std::nullopt;
  return std::string_view(reinterpret_cast<const char*>(data),
                          std::min(size, SqliteFile::kLongestText));
}

bool SqliteFile::is_one(const std::filesystem::path& path) {
  constexpr std::string_view kMagic("SQLite format 3\0", 16);
  std::error_code ignored;
  if (!std::filesystem::is_regular_file(path, ignored)) return false;  // a pipe is opened once
  const base::UniqueFd file(::open(path.c_str(), O_RDONLY | O_CLOEXEC));
  if (!file) return false;
  char first[kMagic.size()] = {};
  return ::pread(file.get(), first, sizeof first, 0) == ssize_t{sizeof first} &&
         std::string_view(first, sizeof first) == kMagic;
}

base::Result<SqliteFile> SqliteFile::open(const std::filesystem::path& path) {
  SqliteFile file;
  constexpr int kFlags =
      SQLITE_OPEN_READONLY | SQLITE_OPEN_URI | SQLITE_OPEN_NOMUTEX | SQLITE_OPEN_PRIVATECACHE;
  const int status = sqlite3_open_v2(uri_of(path).c_str(), &file.handle_, kFlags, nullptr);
  if (status != SQLITE_OK) {
    return base::fail(base::ErrorCode::kIo,
                      std::string("cannot be opened: ") + sqlite3_errstr(status));
  }
  if (const auto done = file.harden(); !done) return std::unexpected(done.error());
  if (const auto done = file.list_tables(); !done) return std::unexpected(done.error());
  file.budget_->left = steps_of_all_rows(path);
  return file;
}

SqliteFile::SqliteFile(SqliteFile&& other) noexcept
    : handle_(std::exchange(other.handle_, nullptr)),
      budget_(std::move(other.budget_)),
      tables_(std::move(other.tables_)) {}
SqliteFile::~SqliteFile() { sqlite3_close_v2(handle_); }

// Before the first look into the file.
base::Result<void> SqliteFile::harden() {
  for (const auto& [setting, value] :
       {std::pair(SQLITE_DBCONFIG_DEFENSIVE, 1), std::pair(SQLITE_DBCONFIG_TRUSTED_SCHEMA, 0),
        std::pair(SQLITE_DBCONFIG_ENABLE_TRIGGER, 0), std::pair(SQLITE_DBCONFIG_ENABLE_VIEW, 0),
        std::pair(SQLITE_DBCONFIG_ENABLE_LOAD_EXTENSION, 0)}) {
    sqlite3_db_config(handle_, setting, value, nullptr);
  }
  sqlite3_limit(handle_, SQLITE_LIMIT_LENGTH, kLongestValue);
  sqlite3_limit(handle_, SQLITE_LIMIT_SQL_LENGTH, kLongestSql);
  sqlite3_limit(handle_, SQLITE_LIMIT_EXPR_DEPTH, 200);
  sqlite3_limit(handle_, SQLITE_LIMIT_ATTACHED, 0);
  sqlite3_limit(handle_, SQLITE_LIMIT_WORKER_THREADS, 0);
  budget_->left = static_cast<std::int64_t>(kMostTables) * kStepsOfTable;
  sqlite3_progress_handler(handle_, kStepsAtOnce, spend_steps, budget_.get());
  constexpr const char* kSettings =
      "PRAGMA trusted_schema=OFF; PRAGMA query_only=ON; PRAGMA cell_size_check=ON;"
      "PRAGMA mmap_size=0; PRAGMA temp_store=MEMORY";
  if (sqlite3_exec(handle_, kSettings, nullptr, nullptr, nullptr) != SQLITE_OK) {
    return base::fail(base::ErrorCode::kCorrupt, sqlite3_errmsg(handle_));
  }
  sqlite3_set_authorizer(handle_, only_reading, nullptr);
  return {};
}

base::Result<void> SqliteFile::list_tables() {
  auto rows = prepare("SELECT name, rootpage, sql FROM sqlite_schema");
  if (!rows) return std::unexpected(rows.error());
  while (rows->next()) {
    const auto name = rows->text(0), sql = rows->text(2);
    if (!name || !sql || rows->integer(1).value_or(0) <= 0) continue;
    if (defines_table(*sql, *name)) tables_.emplace(*name);
  }
  if (rows->problem().empty()) return {};
  return base::fail(base::ErrorCode::kCorrupt, rows->problem());
}

base::Result<TableRows> SqliteFile::prepare(const std::string& sql) {
  sqlite3_stmt* statement = nullptr;
  const int status = sqlite3_prepare_v3(handle_, sql.c_str(), -1, 0, &statement, nullptr);
  if (status != SQLITE_OK) {
    const bool spent = status == SQLITE_INTERRUPT;
    return base::fail(base::ErrorCode::kCorrupt,
                      spent ? "its schema has more tables than flatout reads"
                            : std::string(sqlite3_errmsg(handle_)));
  }
  return TableRows(statement, budget_.get());
}

base::Result<std::vector<std::string>> SqliteFile::columns_of(std::string_view table) {
  auto rows = prepare("PRAGMA main.table_info(\"" + std::string(table) + "\")");
  if (!rows) return std::unexpected(rows.error());
  std::vector<std::string> names;
  while (rows->next()) names.emplace_back(rows->text(1).value_or(""));
  if (rows->problem().empty()) return names;
  return base::fail(base::ErrorCode::kCorrupt, rows->problem());
}

base::Result<TableRows> SqliteFile::rows(std::string_view table,
                                         std::span<const std::string_view> columns) {
  const auto present = columns_of(table);
  if (!present) return std::unexpected(present.error());
  std::string sql;
  for (const std::string_view column : columns) {
    const bool there = std::ranges::any_of(
        *present, [&](const std::string& name) { return same_name(name, column); });
    sql += sql.empty() ? "SELECT " : ", ";
    sql += there ? "\"" + std::string(column) + "\"" : "NULL";
  }
  return prepare(sql + " FROM main.\"" + std::string(table) + "\" NOT INDEXED");
}

}  // namespace flatout::trace
