// Rows of a CSV file after RFC 4180, but with "\n" line ends: UTF-8, a header row,
// fields quoted where they must be, an empty field for a value that is absent.
// Pure.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace flatout::report {

// Builds one row after the other in memory; take() empties it.
class CsvRows {
 public:
  CsvRows& text(std::string_view value);
  CsvRows& integer(std::int64_t value);
  CsvRows& integer(std::optional<std::int64_t> value);
  // Shortest form that reads back as the same double; NaN and infinities are
  // "NaN", "inf" and "-inf".
  CsvRows& real(double value);
  CsvRows& real(std::optional<double> value);
  // Fixed-point seconds to the nanosecond, which a double would round.
  CsvRows& seconds(std::int64_t ns);
  CsvRows& none();
  void end_row();

  std::size_t size() const { return rows_.size(); }
  std::string take();

 private:
  void separate();

  std::string rows_;
  bool fresh_ = true;  // at the beginning of a row
};

}  // namespace flatout::report
