// An SQLite file that nobody vouches for, read table by table. Nothing in it is executed: no view,
// trigger, index or generated column is looked at, only rows of what the schema holds as ordinary
// tables. Bounds: kMostTables of a schema, kLongestText of a text, kMostRows of all tables
// together. One thread.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

struct sqlite3;
struct sqlite3_stmt;

namespace flatout::trace {

// Steps of SQLite's machine that the file may still cost; one that asks for more is interrupted.
struct StepBudget {
  std::int64_t left = 0;
};

class TableRows {
 public:
  TableRows(TableRows&& other) noexcept;
  TableRows(const TableRows&) = delete;
  TableRows& operator=(const TableRows&) = delete;
  ~TableRows();

  // False: there is no further row, or an error (problem()).
  bool next();
  // Of the row, by the place of the column among those asked for. Absent: the table has no such
  // column, or the row holds NULL or something of another type there.
  std::optional<std::int64_t> integer(std::size_t column) const;
  std::optional<std::string_view> text(std::size_t column) const;  // valid until next()
  // Why not all rows were read, "" = they were.
  const std::string& problem() const { return problem_; }

 private:
  friend class SqliteFile;
  TableRows(sqlite3_stmt* statement, StepBudget* budget) : statement_(statement), budget_(budget) {}

  sqlite3_stmt* statement_ = nullptr;
  StepBudget* budget_;
  std::string problem_;
};

class SqliteFile {
 public:
  static constexpr std::size_t kMostTables = 4096;
  static constexpr std::size_t kMostRows = 100'000'000;
  static constexpr std::size_t kLongestText = 16 << 10;  // of a name; what is longer is cut

  // Whether a file begins as SQLite's do.
  static bool is_one(const std::filesystem::path& path);
  // kCorrupt where SQLite cannot read its schema; the message does not name the file.
  static base::Result<SqliteFile> open(const std::filesystem::path& path);

  SqliteFile(SqliteFile&& other) noexcept;
  SqliteFile(const SqliteFile&) = delete;
  SqliteFile& operator=(const SqliteFile&) = delete;
  ~SqliteFile();

  bool has(std::string_view table) const { return tables_.contains(table); }
  // All rows of a table that it has, in no particular order.
  base::Result<TableRows> rows(std::string_view table, std::span<const std::string_view> columns);

 private:
  SqliteFile() = default;
  base::Result<void> harden();
  base::Result<void> list_tables();
  base::Result<std::vector<std::string>> columns_of(std::string_view table);
  base::Result<TableRows> prepare(const std::string& sql);

  sqlite3* handle_ = nullptr;
  std::unique_ptr<StepBudget> budget_ = std::make_unique<StepBudget>();
  std::set<std::string, std::less<>> tables_;
};

}  // namespace flatout::trace
