#include "report/csv.h"

#include <array>
#include <charconv>
#include <cmath>
#include <cstdio>
#include <utility>

namespace flatout::report {

void CsvRows::separate() {
  if (!fresh_) rows_ += ',';
  fresh_ = false;
}

CsvRows& CsvRows::text(std::string_view value) {
  separate();
  // A spreadsheet would run what begins so; numbers are written by integer and real.
  const bool formula = !value.empty() && std::string_view("=+-@\t\r").contains(value.front());
  if (value.find_first_of(",\"\r\n") == std::string_view::npos) {
    if (formula) rows_ += '\'';
    rows_ += value;
    return *this;
  }
  rows_ += '"';
  if (formula) rows_ += '\'';
  for (const char c : value) {
    if (c == '"') rows_ += '"';
    rows_ += c;
  }
  rows_ += '"';
  return *this;
}

CsvRows& CsvRows::integer(std::int64_t value) {
  separate();
  rows_ += std::to_string(value);
  return *this;
}

CsvRows& CsvRows::integer(std::optional<std::int64_t> value) {
  return value ? integer(*value) : none();
}

CsvRows& CsvRows::real(double value) {
  separate();
  if (std::isnan(value)) {
    rows_ += "NaN";
    return *this;
  }
  std::array<char, 32> text;
  const auto end = std::to_chars(text.data(), text.data() + text.size(), value).ptr;
  rows_.append(text.data(), end);
  return *this;
}

CsvRows& CsvRows::real(std::optional<double> value) { return value ? real(*value) : none(); }

CsvRows& CsvRows::seconds(std::int64_t ns) {
  constexpr std::uint64_t kSecond = 1'000'000'000;
  separate();
  if (ns < 0) rows_ += '-';
  const std::uint64_t size =
      ns < 0 ? 0 - static_cast<std::uint64_t>(ns) : static_cast<std::uint64_t>(ns);
  std::array<char, 32> text;
  const int length = std::snprintf(text.data(), text.size(), "%llu.%09llu",
                                   static_cast<unsigned long long>(size / kSecond),
                                   static_cast<unsigned long long>(size % kSecond));
  rows_.append(text.data(), static_cast<std::size_t>(length));
  return *this;
}

CsvRows& CsvRows::none() {
  separate();
  return *this;
}

void CsvRows::end_row() {
  rows_ += '\n';
  fresh_ = true;
}

std::string CsvRows::take() { return std::exchange(rows_, {}); }

}  // namespace flatout::report
