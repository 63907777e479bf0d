// SQLite as values and errors. A Database trusts neither the schema nor the
// cells of its file: no triggers, views or functions of it ever run. One
// thread. Internal to store/.
#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "base/result.h"
#include "store/disk.h"
#include "store/sealed/disk_vfs.h"

struct sqlite3;
struct sqlite3_stmt;

namespace flatout::store {

class Statement {
 public:
  Statement() = default;
  Statement(Statement&& other) noexcept;
  Statement& operator=(Statement&& other) noexcept;
  ~Statement();

  // Parameters count from 1. Text and blobs must live until the next reset.
  Statement& bind(int at, std::int64_t value);
  Statement& bind(int at, double value);  // NaN becomes NULL
  Statement& bind_text(int at, std::string_view text);
  Statement& bind_blob(int at, std::string_view bytes);
  Statement& bind_null(int at);

  // True: there is a row. False: there is none more, or an error (failed()).
  bool step();
  bool failed() const { return failed_; }
  base::Error error() const;
  // For the next use with other parameters.
  void reset();
  // Steps once, resets, and gives the error if there was one.
  base::Result<void> run();

  // Columns count from 0; of the row that step() gave.
  bool is_null(int column) const;
  std::int64_t integer(int column) const;
  double real(int column) const;
  std::string_view bytes(int column) const;  // valid until the next step

 private:
  friend class Database;
  explicit Statement(sqlite3_stmt* statement) : statement_(statement) {}
  sqlite3_stmt* statement_ = nullptr;
  bool failed_ = false;
};

class Database {
 public:
  // A sealed run, over a file of the Disk port that the database then owns.
  static base::Result<Database> over(std::unique_ptr<DiskFile> file, VfsMode mode,
                                     std::string name);
  // A shared database of SQLite's own kind, created when missing; waits up to
  // `busy_ms` for other processes.
  static base::Result<Database> shared(const std::filesystem::path& path, int busy_ms);
  Database(Database&& other) noexcept;
  Database& operator=(Database&& other) noexcept;
  ~Database();

  base::Result<Statement> prepare(const char* sql);
  base::Result<void> execute(const char* sql);
  // First column of the first row; absent without a row.
  base::Result<std::optional<std::int64_t>> integer(const char* sql);
  // All objects of the schema, "type name sql" sorted by name, one a line.
  base::Result<std::string> schema();
  // What schema() says of a file that these statements have made.
  static base::Result<std::string> schema_after(const char* statements);
  DiskFile* file() { return file_.get(); }
  const std::string& name() const { return name_; }

 private:
  Database(std::unique_ptr<DiskFile> file, std::string name)
      : file_(std::move(file)), name_(std::move(name)) {}
  base::Result<void> harden();
  std::unique_ptr<DiskFile> file_;
  std::string name_;
  sqlite3* handle_ = nullptr;
};

}  // namespace flatout::store
