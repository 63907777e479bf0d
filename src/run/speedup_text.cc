#include "run/speedup_text.h"

#include <cmath>
#include <cstdio>

namespace flatout::run {
namespace {

constexpr double kLarge = 100;  // from there on decimals say nothing

std::string number(double value, int decimals) {
  char text[64];
  if (std::abs(value) >= kLarge) {
    std::snprintf(text, sizeof text, "%.3g", value);
  } else {
    std::snprintf(text, sizeof text, "%.*f", decimals, value);
  }
  return text;
}

// What rounds to 1 is no loss.
bool is_slower(double ratio, int decimals) {
  return ratio > 0 && ratio < 1 - std::pow(10, -decimals) / 2;
}

}  // namespace

std::string ratio_text(double ratio, int decimals) {
  if (!std::isfinite(ratio)) return "";
  if (is_slower(ratio, decimals)) return number(1 / ratio, decimals) + "x slower";
  return "x" + number(ratio, decimals);
}

std::string speedup_text(const Speedup& speedup, int decimals) {
  const auto& [ratio, lo, hi] = speedup;
  if (!std::isfinite(ratio) || !std::isfinite(lo + hi)) return "";
  const bool inverse = is_slower(ratio, decimals) && lo > 0 && hi > 0;
  return (inverse ? ratio_text(ratio, decimals) : "x" + number(ratio, decimals)) + " [" +
         number(inverse ? 1 / hi : lo, decimals) + ", " + number(inverse ? 1 / lo : hi, decimals) +
         "]";
}

}  // namespace flatout::run
