// The texts of an export, which its other tables name by number: StringIds(id, value).
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <unordered_map>

#include "trace/nsys/sqlite_file.h"

namespace flatout::trace {

class StringIds {
 public:
  static constexpr std::size_t kMostBytes = std::size_t{256} << 20;

  // Why not all of them were read, "" = they were.
  std::string read(SqliteFile& file);

  // What column `at` names, by number or, in some versions, as the text itself; "" = nothing.
  std::string_view name(const TableRows& row, std::size_t at) const;

 private:
  std::unordered_map<std::int64_t, std::string> texts_;
};

}  // namespace flatout::trace
