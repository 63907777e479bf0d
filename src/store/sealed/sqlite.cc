#include "store/sealed/sqlite.h"

#include <sqlite3.h>

#include <utility>

namespace flatout::store {
namespace {

using base::ErrorCode;
using base::Result;

// No blob of ours is larger (kMaxFrameBytes and a little).
constexpr int kLongestValue = 8 << 20;
constexpr int kLongestSql = 16 << 10;

ErrorCode code_of(int status) {
  // Its header forbids to write, or the file does; a folder that does has other codes.
  if (status == SQLITE_READONLY) return ErrorCode::kCorrupt;
  switch (status & 0xff) {
    case SQLITE_CORRUPT:
    case SQLITE_NOTADB:
    case SQLITE_ERROR:  // a table or column is missing
    case SQLITE_TOOBIG:
    case SQLITE_CONSTRAINT:  // no table of ours has one that a row of ours could break
    case SQLITE_MISMATCH:
      return ErrorCode::kCorrupt;
    case SQLITE_BUSY:
    case SQLITE_LOCKED:
      return ErrorCode::kExists;
    default:
      return ErrorCode::kIo;
  }
}

base::Error error_of(sqlite3* handle, int status, const std::string& name) {
  const char* text = handle == nullptr ? sqlite3_errstr(status) : sqlite3_errmsg(handle);
  return {code_of(status), name + ": " + text};
}

}  // namespace

Statement::Statement(Statement&& other) noexcept
    : statement_(std::exchange(other.statement_, nullptr)), failed_(other.failed_) {}
Statement& Statement::operator=(Statement&& other) noexcept {
  std::swap(statement_, other.statement_);
  failed_ = other.failed_;
  return *this;
}
Statement::~Statement() { sqlite3_finalize(statement_); }

Statement& Statement::bind(int at, std::int64_t value) {
  sqlite3_bind_int64(statement_, at, value);
  return *this;
}
Statement& Statement::bind(int at, double value) {
  sqlite3_bind_double(statement_, at, value);
  return *this;
}
Statement& Statement::bind_text(int at, std::string_view text) {
  sqlite3_bind_text64(statement_, at, text.data(), text.size(), SQLITE_STATIC, SQLITE_UTF8);
  return *this;
}
Statement& Statement::bind_blob(int at, std::string_view bytes) {
  sqlite3_bind_blob64(statement_, at, bytes.data(), bytes.size(), SQLITE_STATIC);
  return *this;
}
Statement& Statement::bind_null(int at) {
  sqlite3_bind_null(statement_, at);
  return *this;
}

bool Statement::step() {
  const int status = sqlite3_step(statement_);
  failed_ = status != SQLITE_ROW && status != SQLITE_DONE;
  return status == SQLITE_ROW;
}

base::Error Statement::error() const {
  sqlite3* const handle = sqlite3_db_handle(statement_);
  const char* file = sqlite3_db_filename(handle, "main");
  const bool named = file != nullptr && *file != '\0';
  return error_of(handle, sqlite3_extended_errcode(handle), named ? file : "database");
}

void Statement::reset() {
  sqlite3_reset(statement_);
  sqlite3_clear_bindings(statement_);
}

Result<void> Statement::run() {
  (void)step();
  if (failed_) {
    auto problem = error();
    reset();
    return std::unexpected(std::move(problem));
  }
  reset();
  return {};
}

bool Statement::is_null(int column) const {
  return sqlite3_column_type(statement_, column) == SQLITE_NULL;
}
std::int64_t Statement::integer(int column) const {
  return sqlite3_column_int64(statement_, column);
}
double Statement::real(int column) const { return sqlite3_column_double(statement_, column); }
std::string_view Statement::bytes(int column) const {
  const void* data = sqlite3_column_blob(statement_, column);
  const int size = sqlite3_column_bytes(statement_, column);
  if (data == nullptr) return {};
  return {static_cast<const char*>(data), static_cast<std::size_t>(size)};
}

Result<Database> Database::over(std::unique_ptr<DiskFile> file, VfsMode mode, std::string name) {
  Database database(std::move(file), std::move(name));
  const int status = open_over(*database.file_, mode, &database.handle_);
  if (status != SQLITE_OK) {
    return std::unexpected(error_of(database.handle_, status, database.name_));
  }
  if (auto done = database.harden(); !done) return std::unexpected(done.error());
  return database;
}

Result<Database> Database::shared(const std::filesystem::path& path, int busy_ms) {
  Database database(nullptr, path.string());
  const int status = sqlite3_open_v2(
      path.c_str(), &database.handle_,
      SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE | SQLITE_OPEN_NOFOLLOW | SQLITE_OPEN_NOMUTEX,
      nullptr);
  if (status != SQLITE_OK) {
    return std::unexpected(error_of(database.handle_, status, database.name_));
  }
  sqlite3_busy_timeout(database.handle_, busy_ms);
  if (auto done = database.harden(); !done) return std::unexpected(done.error());
  return database;
}

// Before the first look into the file.
Result<void> Database::harden() {
  sqlite3_extended_result_codes(handle_, 1);
  sqlite3_db_config(handle_, SQLITE_DBCONFIG_DEFENSIVE, 1, nullptr);
  sqlite3_db_config(handle_, SQLITE_DBCONFIG_TRUSTED_SCHEMA, 0, nullptr);
  sqlite3_db_config(handle_, SQLITE_DBCONFIG_ENABLE_TRIGGER, 0, nullptr);
  sqlite3_db_config(handle_, SQLITE_DBCONFIG_ENABLE_LOAD_EXTENSION, 0, nullptr);
  sqlite3_limit(handle_, SQLITE_LIMIT_LENGTH, kLongestValue);
  sqlite3_limit(handle_, SQLITE_LIMIT_SQL_LENGTH, kLongestSql);
  sqlite3_limit(handle_, SQLITE_LIMIT_EXPR_DEPTH, 20);
  sqlite3_limit(handle_, SQLITE_LIMIT_ATTACHED, 0);
  return execute("PRAGMA cell_size_check=ON; PRAGMA mmap_size=0; PRAGMA temp_store=MEMORY");
}

Database::Database(Database&& other) noexcept
    : file_(std::move(other.file_)),
      name_(std::move(other.name_)),
      handle_(std::exchange(other.handle_, nullptr)) {}
Database& Database::operator=(Database&& other) noexcept {
  std::swap(file_, other.file_);
  std::swap(name_, other.name_);
  std::swap(handle_, other.handle_);
  return *this;
}
Database::~Database() { sqlite3_close_v2(handle_); }

Result<Statement> Database::prepare(const char* sql) {
  sqlite3_stmt* statement = nullptr;
  const int status =
      sqlite3_prepare_v3(handle_, sql, -1, SQLITE_PREPARE_PERSISTENT, &statement, nullptr);
  if (status != SQLITE_OK) return std::unexpected(error_of(handle_, status, name_));
  return Statement(statement);
}

Result<void> Database::execute(const char* sql) {
  const int status = sqlite3_exec(handle_, sql, nullptr, nullptr, nullptr);
  if (status != SQLITE_OK) return std::unexpected(error_of(handle_, status, name_));
  return {};
}

Result<std::optional<std::int64_t>> Database::integer(const char* sql) {
  auto statement = prepare(sql);
  if (!statement) return std::unexpected(statement.error());
  if (statement->step()) return statement->integer(0);
  if (statement->failed()) return std::unexpected(statement->error());
  return std::optional<std::int64_t>();
}

Result<std::string> Database::schema() {
  auto statement = prepare("SELECT type, name, sql FROM sqlite_schema ORDER BY name");
  if (!statement) return std::unexpected(statement.error());
  std::string out;
  while (statement->step()) {
    for (int column = 0; column < 3; ++column) {
      out.append(statement->bytes(column)).push_back(column == 2 ? '\n' : ' ');
    }
  }
  if (statement->failed()) return std::unexpected(statement->error());
  return out;
}

base::Result<std::string> Database::schema_after(const char* statements) {
  auto database = shared(":memory:", 0);
  if (!database) return std::unexpected(database.error());
  if (auto made = database->execute(statements); !made) return std::unexpected(made.error());
  return database->schema();
}

}  // namespace flatout::store
