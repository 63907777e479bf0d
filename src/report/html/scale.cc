#include "report/html/scale.h"

#include <array>
#include <cmath>
#include <cstdio>
#include <cstring>

#include "report/quantity.h"

namespace flatout::report::html {
namespace {

std::vector<double> multiples(double lo, double hi, double step) {
  std::vector<double> ticks;
  if (!(step > 0) || !std::isfinite(step)) return ticks;
  const double first = std::ceil(lo / step - 1e-9);
  const double last = std::floor(hi / step + 1e-9);
  // Beyond 2^53 a multiple and the next one are the same number.
  if (!(last - first < 100) || !(std::abs(first) < 1e15) || !(std::abs(last) < 1e15)) return ticks;
  for (double i = first; i <= last; ++i) ticks.push_back(i == 0 ? 0 : i * step);
  return ticks;
}

// 1, 2 or 5 times a power of ten, at least `rough`.
double nice_step(double rough) {
  const double power = std::pow(10, std::floor(std::log10(rough)));
  for (const double factor : {1.0, 2.0, 5.0}) {
    if (factor * power >= rough * (1 - 1e-9)) return factor * power;
  }
  return 10 * power;
}

bool usable(double lo, double hi, int wanted) {
  return std::isfinite(lo) && std::isfinite(hi) && lo < hi && wanted > 0 && std::isfinite(hi - lo);
}

}  // namespace

std::vector<double> nice_ticks(double lo, double hi, int wanted) {
  if (!usable(lo, hi, wanted)) return {};
  return multiples(lo, hi, nice_step((hi - lo) / wanted));
}

std::vector<double> time_ticks(double lo, double hi, int wanted) {
  if (!usable(lo, hi, wanted)) return {};
  const double rough = (hi - lo) / wanted;
  if (rough <= 5) return multiples(lo, hi, nice_step(rough));
  constexpr std::array kSteps = {10.0,   15.0,   30.0,   60.0,    120.0,   300.0,   600.0,  900.0,
                                 1800.0, 3600.0, 7200.0, 10800.0, 21600.0, 43200.0, 86400.0};
  for (const double step : kSteps) {
    if (step >= rough) return multiples(lo, hi, step);
  }
  return multiples(lo, hi, 86400 * nice_step(rough / 86400));
}

double nice_ceiling(double value) {
  if (!std::isfinite(value) || value <= 0) return 1;
  const double step = nice_step(value / 4);
  return step * std::ceil(value / step - 1e-9);
}

std::string time_label(double seconds, double step) {
  if (seconds == 0) return "0";
  if (step < 10 || seconds < 60) return format_number(seconds) + " s";
  const long long whole = std::llround(seconds);
  char text[48];
  if (whole < 3600) {
    if (whole % 60 == 0) return std::to_string(whole / 60) + " min";
    std::snprintf(text, sizeof text, "%lld:%02lld min", whole / 60, whole % 60);
  } else if (whole % 3600 == 0) {
    return std::to_string(whole / 3600) + " h";
  } else {
    std::snprintf(text, sizeof text, "%lld:%02lld h", whole / 3600, whole / 60 % 60);
  }
  return text;
}

bool is_power(std::string_view unit) { return unit.starts_with("log10"); }

std::string quantity(double value, std::string_view unit) {
  if (is_power(unit)) {
    return format_number(std::pow(10, value)) + std::string(unit.substr(std::strlen("log10")));
  }
  if (unit == "ratio") return format_percent(value);
  if (unit == "bytes") return format_bytes(value);
  if (unit == "bytes_per_s") return format_bytes(value) + "/s";
  if (unit == "ms") return format_ms(value);
  if (unit == "s") return format_seconds(value);
  if (unit == "watts") return format_number(value) + " W";
  if (unit == "celsius")
    return format_number(value) +
           " \xc2\xb0"
           "C";
  if (unit == "megahertz") return format_number(value) + " MHz";
  if (unit == "cores") return format_number(value) + (value == 1 ? " core" : " cores");
  if (unit == "per_s") return format_number(value) + "/s";
  if (unit == "count" || unit == "value" || unit.empty()) return format_number(value);
  return format_number(value) + " " + std::string(unit);
}

}  // namespace flatout::report::html
