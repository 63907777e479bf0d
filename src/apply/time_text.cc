#include "apply/time_text.h"

#include <charconv>
#include <string_view>
#include <system_error>

namespace flatout::apply {

std::optional<base::DurationNs> parse_time(const std::string& text) {
  double number = 0;
  const char* end = text.data() + text.size();
  const auto [unit, error] = std::from_chars(text.data(), end, number);
  const std::string_view rest(unit, static_cast<std::size_t>(end - unit));
  const double seconds = rest == "s" ? 1 : rest == "m" ? 60 : rest == "h" ? 3600 : 0;
  const bool sane = error == std::errc() && seconds > 0 && number > 0 && number * seconds < 1e8;
  if (!sane) return std::nullopt;
  return static_cast<base::DurationNs>(number * seconds * 1e9);
}

}  // namespace flatout::apply
