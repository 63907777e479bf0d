#include "report/timestamp.h"

#include <cstdio>
#include <ctime>

namespace flatout::report {

std::optional<std::string> rfc3339(std::int64_t wall_ns) {
  constexpr std::int64_t kSecond = 1'000'000'000;
  if (wall_ns <= 0) return std::nullopt;
  const auto seconds = static_cast<std::time_t>(wall_ns / kSecond);
  std::tm utc{};
  if (gmtime_r(&seconds, &utc) == nullptr) return std::nullopt;
  char date[32];
  if (std::strftime(date, sizeof date, "%Y-%m-%dT%H:%M:%S", &utc) == 0) return std::nullopt;
  char text[48];
  std::snprintf(text, sizeof text, "%s.%03dZ", date,
                static_cast<int>(wall_ns % kSecond / 1'000'000));
  return text;
}

}  // namespace flatout::report
