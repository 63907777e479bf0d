#include "analyse/tracked/summary.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <string_view>

#include "analyse/tracked/tracked_runs.h"

namespace flatout::analyse {
namespace {

using Json = nlohmann::json;

Json stated(double value) {
  if (std::isnan(value)) return "NaN";
  if (std::isinf(value)) return value > 0 ? "Infinity" : "-Infinity";
  return value;
}
Json stated(const std::optional<double>& value) { return value ? Json(*value) : Json("NaN"); }

// The same name in several parts.
run::TrackedSeries joined(run::TrackedSeries a, const run::TrackedSeries& b) {
  if (b.first_ns < a.first_ns) {
    a.first_ns = b.first_ns;
    a.first = b.first;
  }
  if (b.last_ns >= a.last_ns) {
    a.last_ns = b.last_ns;
    a.last = b.last;
  }
  if (b.min) a.min = a.min ? std::min(*a.min, *b.min) : *b.min;
  if (b.max) a.max = a.max ? std::max(*a.max, *b.max) : *b.max;
  if (a.mean && b.mean) {
    const auto of_a = static_cast<double>(a.count);
    const auto of_b = static_cast<double>(b.count);
    a.mean = *a.mean * (of_a / (of_a + of_b)) + *b.mean * (of_b / (of_a + of_b));
  } else if (b.mean) {
    a.mean = b.mean;
  }
  a.count += b.count;
  return a;
}

void put(std::string_view what, const run::TrackedSeries& of, const run::TrackedMetric& rule,
         Json& out) {
  if (what == "min") out["min"] = stated(of.min);
  if (what == "max") out["max"] = stated(of.max);
  if (what == "mean") out["mean"] = stated(of.mean);
  if (what == "first") out["first"] = stated(of.first);
  if (what == "last") out["last"] = stated(of.last);
  if (what == "best") out["best"] = stated(rule.goal.starts_with("max") ? of.max : of.min);
}

Json by_rule(const run::TrackedSeries& of, const run::TrackedMetric& rule) {
  Json out = Json::object();
  std::string_view rest = rule.summary;
  while (!rest.empty()) {
    const std::size_t comma = std::min(rest.find(','), rest.size());
    std::string_view word = rest.substr(0, comma);
    while (word.starts_with(' ')) word.remove_prefix(1);
    while (word.ends_with(' ')) word.remove_suffix(1);
    if (word == "none") return nullptr;
    put(word, of, rule, out);
    rest.remove_prefix(std::min(comma + 1, rest.size()));
  }
  return out.empty() ? stated(of.last) : out;
}

}  // namespace

Json summary_of(const std::vector<run::TrackedSeries>& series,
                const std::vector<run::TrackedMetric>& metrics) {
  std::map<std::string_view, run::TrackedSeries> by_name;
  for (const run::TrackedSeries& one : series) {
    const auto [known, added] = by_name.try_emplace(one.name, one);
    if (!added) known->second = joined(known->second, one);
  }
  Json out = Json::object();
  for (const auto& [name, all] : by_name) {
    const run::TrackedMetric* rule = rule_of(metrics, name);
    Json value = rule == nullptr ? stated(all.last) : by_rule(all, *rule);
    if (!value.is_null()) out[std::string(name)] = std::move(value);
  }
  return out;
}

}  // namespace flatout::analyse
