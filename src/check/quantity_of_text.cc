#include "check/quantity_of_text.h"

#include <array>
#include <charconv>
#include <cmath>
#include <string>

namespace flatout::check {
namespace {

struct Unit {
  std::string_view of;  // the figure's
  std::string_view name;
  double factor;
};

constexpr std::array<Unit, 16> kUnits = {{
    {"bytes", "B", 1},
    {"bytes", "kB", 1e3},
    {"bytes", "MB", 1e6},
    {"bytes", "GB", 1e9},
    {"bytes", "TB", 1e12},
    {"bytes", "KiB", 1024.0},
    {"bytes", "MiB", 1048576.0},
    {"bytes", "GiB", 1073741824.0},
    {"bytes", "TiB", 1099511627776.0},
    {"ratio", "%", 0.01},
    {"ms", "us", 1e-3},
    {"ms", "ms", 1},
    {"ms", "s", 1e3},
    {"s", "ms", 1e-3},
    {"s", "s", 1},
    {"s", "min", 60},
}};

}  // namespace

std::optional<double> quantity_of(std::string_view text, std::string_view unit) {
  double number = 0;
  const auto [end, wrong] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (wrong != std::errc() || !std::isfinite(number)) return std::nullopt;
  text.remove_prefix(static_cast<std::size_t>(end - text.data()));
  while (text.starts_with(' ')) text.remove_prefix(1);
  for (const Unit& known : kUnits) {
    if (known.of == unit && known.name == text) return number * known.factor;
  }
  return std::nullopt;
}

}  // namespace flatout::check
