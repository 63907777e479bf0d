#include "report/quantity.h"

#include <array>
#include <cmath>
#include <cstdint>
#include <cstdio>

namespace flatout::report {
namespace {

std::string printed(const char* format, double value) {
  char text[64];
  std::snprintf(text, sizeof text, format, value);
  return text;
}

struct Scale {
  double divisor;
  const char* unit;
};

Scale byte_scale(double bytes) {
  constexpr std::array<Scale, 6> kScales = {
      {{1, "B"}, {1e3, "kB"}, {1e6, "MB"}, {1e9, "GB"}, {1e12, "TB"}, {1e15, "PB"}}};
  Scale scale = kScales[0];
  for (const Scale& larger : kScales) {
    if (std::abs(bytes) >= larger.divisor) scale = larger;
  }
  return scale;
}

std::string two_parts(double total, double per_major, const char* major, const char* minor) {
  const auto whole = static_cast<std::int64_t>(std::round(total));
  const auto divisor = static_cast<std::int64_t>(per_major);
  char text[64];
  std::snprintf(text, sizeof text, "%lld %s %02lld %s", static_cast<long long>(whole / divisor),
                major, static_cast<long long>(whole % divisor), minor);
  return text;
}

}  // namespace

std::string format_number(double value) {
  if (!std::isfinite(value)) return "?";
  const double size = std::abs(value);
  if (size >= 1e6) return printed("%.3g", value);
  if (size >= 99.95) return printed("%.0f", value);
  if (size >= 9.995 && size - std::floor(size) < 0.05) return printed("%.0f", value);
  if (size >= 9.995) return printed("%.1f", value);
  return printed("%.2g", value);
}

std::string format_percent(double share) {
  if (!std::isfinite(share)) return "?";
  if (share > 0 && share < 0.005) return "<1 %";
  return printed("%.0f %%", share * 100);
}

std::string format_us(double us) {
  return std::abs(us) < 1000 ? format_number(us) + " us" : format_ms(us / 1000);
}

std::string format_ms(double ms) {
  if (std::isfinite(ms) && std::abs(ms) >= 10'000) return format_seconds(ms / 1000);
  return format_number(ms) + " ms";
}

std::string format_seconds(double seconds) {
  constexpr double kMinute = 60;
  constexpr double kHour = 3600;
  if (!std::isfinite(seconds) || seconds < 119.5) return format_number(seconds) + " s";
  if (seconds < kHour - 0.5) return two_parts(seconds, kMinute, "min", "s");
  if (seconds < 1e9) return two_parts(seconds / kMinute, kMinute, "h", "min");
  return format_number(seconds / kHour) + " h";
}

std::string format_bytes(double bytes) {
  const Scale scale = byte_scale(bytes);
  return format_number(bytes / scale.divisor) + " " + scale.unit;
}

std::string format_bytes_of(double part, double whole) {
  const Scale scale = byte_scale(whole);
  if (std::abs(part) * 10 < scale.divisor) return format_bytes(part) + " of " + format_bytes(whole);
  return format_number(part / scale.divisor) + " of " + format_bytes(whole);
}

}  // namespace flatout::report
