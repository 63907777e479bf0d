#include "analyse/tracked/logged_series.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <string>
#include <string_view>
#include <utility>

namespace flatout::analyse {
namespace {

struct Growing {
  run::TrackedSeries series;
  std::size_t finite = 0;
};

void take(const run::NamedValue& value, Growing& to) {
  run::TrackedSeries& out = to.series;
  if (out.count++ == 0) {
    out.first_ns = value.t_ns;
    out.first = value.value;
  }
  out.last_ns = value.t_ns;
  out.last = value.value;
  if (value.step != run::NamedValue::kNoStep) {
    out.first_step = std::min(out.first_step.value_or(value.step), value.step);
    out.last_step = std::max(out.last_step.value_or(value.step), value.step);
  }
  if (!std::isfinite(value.value)) return;
  ++to.finite;
  out.min = std::min(out.min.value_or(value.value), value.value);
  out.max = std::max(out.max.value_or(value.value), value.value);
  // Halves, since the sum of what is finite may not be.
  const double before = out.mean.value_or(value.value);
  out.mean = before + (value.value / 2 - before / 2) * 2 / static_cast<double>(to.finite);
}

// Of two keys that are compared without making a string of either.
using Key = std::pair<std::uint32_t, std::string>;
using KeyView = std::pair<std::uint32_t, std::string_view>;
struct Before {
  using is_transparent = void;
  template <typename A, typename B>
  bool operator()(const A& a, const B& b) const {
    if (a.first != b.first) return a.first < b.first;
    return std::string_view(a.second) < std::string_view(b.second);
  }
};

}  // namespace

std::vector<run::TrackedSeries> logged_series(pid_t pid, const run::ProcessTrack& process) {
  std::map<Key, Growing, Before> all;
  for (const run::NamedValue& value : process.values) {
    auto known = all.find(KeyView(value.track, value.name));
    if (known == all.end()) {
      known = all.try_emplace(Key(value.track, value.name)).first;
      known->second.series.pid = pid;
      known->second.series.track = value.track;
      known->second.series.name = value.name;
    }
    take(value, known->second);
  }
  std::vector<run::TrackedSeries> out;
  out.reserve(all.size());
  for (auto& [key, growing] : all) out.push_back(std::move(growing.series));
  return out;
}

}  // namespace flatout::analyse
