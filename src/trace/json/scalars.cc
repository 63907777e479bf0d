#include "trace/json/scalars.h"

#include <cmath>

#include "base/number_text.h"

namespace flatout::trace {
namespace {

// A power of two that int64 and uint64 hold less than.
template <typename T>
constexpr double kBound = 9223372036854775808.0 * (sizeof(T) == 8 && T(-1) > T(0) ? 2 : 1);

template <typename T>
std::optional<T> rounded(std::string_view text) {
  const std::optional<double> value = as_double(text);
  const double least = T(-1) > T(0) ? 0.0 : -kBound<T>;
  if (!value || !(*value >= least) || !(*value < kBound<T>)) return std::nullopt;
  return static_cast<T>(*value);
}

bool is_digit(char c) { return c >= '0' && c <= '9'; }

}  // namespace

std::optional<std::int64_t> as_int(std::string_view text) {
  const auto value = base::parse_number<std::int64_t>(text);
  return value ? value : rounded<std::int64_t>(text);
}

std::optional<std::uint64_t> as_unsigned(std::string_view text) {
  const auto value = base::parse_number<std::uint64_t>(text);
  return value ? value : rounded<std::uint64_t>(text);
}

std::optional<double> as_double(std::string_view text) {
  const auto value = base::parse_number<double>(text);
  return value && std::isfinite(*value) ? value : std::nullopt;
}

std::optional<std::int64_t> microseconds_as_ns(std::string_view text) {
  const bool negative = text.starts_with('-');
  std::string_view left = text.substr(negative ? 1 : 0);
  std::int64_t value = 0;
  // Of two times with fewer microseconds, either way from 0, the difference in ns fits.
  constexpr std::int64_t kMost = 4'000'000'000'000'000;
  const std::size_t digits = left.size();
  while (!left.empty() && is_digit(left.front()) && value <= kMost / 10) {
    value = value * 10 + (left.front() - '0');
    left.remove_prefix(1);
  }
  const bool has_digits = left.size() < digits;
  std::int64_t fraction = 0;
  if (has_digits && left.starts_with('.')) {
    left.remove_prefix(1);
    for (std::int64_t unit = 100; !left.empty() && is_digit(left.front()); unit /= 10) {
      fraction += unit * (left.front() - '0');
      left.remove_prefix(1);
    }
  }
  if (has_digits && left.empty() && value <= kMost) {
    const std::int64_t ns = value * 1000 + fraction;
    return negative ? -ns : ns;
  }
  const std::optional<double> other = as_double(text);  // 1.6e15
  if (!other || std::abs(*other) > static_cast<double>(kMost)) return std::nullopt;
  return static_cast<std::int64_t>(*other * 1000);
}

}  // namespace flatout::trace
