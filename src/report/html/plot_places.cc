#include "report/html/plot_places.h"

#include <algorithm>
#include <cmath>
#include <cstdio>

namespace flatout::report::html {

std::string px(double value) {
  char text[32];
  std::snprintf(text, sizeof text, "%.1f", value);
  std::string out = text;
  return out.ends_with(".0") ? out.substr(0, out.size() - 2) : out;
}

std::string percent(double share) {
  char text[32];
  std::snprintf(text, sizeof text, "%.4g%%", share * 100);
  return text;
}

double share_of(double value, double from, double to) {
  if (!(to > from) || !std::isfinite(value)) return 0;
  return std::clamp((value - from) / (to - from), 0.0, 1.0);
}

}  // namespace flatout::report::html
