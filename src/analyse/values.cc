#include "analyse/values.h"

#include <cmath>
#include <map>
#include <string>
#include <unordered_map>
#include <utility>

namespace flatout::analyse {
namespace {

using Reports = std::unordered_map<std::string, run::ValueReport>;

void take(const run::NamedValue& value, Reports& reports) {
  const auto [at, is_new] = reports.try_emplace(value.name);
  run::ValueReport& report = at->second;
  if (is_new) report.name = value.name;
  ++report.count;
  // A value that is none leaves its place empty: JSON has no word for it.
  report.last = std::isfinite(value.value) ? std::optional(value.value) : std::nullopt;
  report.last_step =
      value.step == run::NamedValue::kNoStep ? std::nullopt : std::optional(value.step);
}

}  // namespace

std::vector<run::ValueReport> value_reports(const run::Timeline& timeline) {
  std::map<std::string, run::ValueReport> all;  // in the order of their names
  for (const auto& [pid, process] : timeline.processes) {
    Reports own;
    for (const run::NamedValue& value : process.values) take(value, own);
    for (auto& [name, report] : own) {
      const auto known = all.find(name);
      if (known == all.end() || known->second.count < report.count) all[name] = std::move(report);
    }
  }
  std::vector<run::ValueReport> reports;
  for (auto& [name, report] : all) reports.push_back(std::move(report));
  return reports;
}

}  // namespace flatout::analyse
