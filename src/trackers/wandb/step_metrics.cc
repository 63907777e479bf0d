#include "trackers/wandb/step_metrics.h"

#include <algorithm>
#include <cmath>
#include <utility>

namespace flatout::trackers::wandb {
namespace {

// A dot that is part of a name is escaped by wandb; the names of values here have none of it.
std::string without_escapes(std::string text) {
  for (std::size_t at = 0; (at = text.find("\\.", at)) != std::string::npos; ++at) {
    text.erase(at, 1);
  }
  return text;
}

bool glob_fits(std::string_view pattern, std::string_view name) {
  return pattern.ends_with('*') && name.starts_with(pattern.substr(0, pattern.size() - 1));
}

}  // namespace

void StepMetrics::define(std::string name, std::string metric, bool sync) {
  Rule rule{.name = without_escapes(std::move(name)),
            .metric = without_escapes(std::move(metric)),
            .sync = sync};
  constexpr std::size_t kMostRules = 10'000;  // each name is looked up among all
  std::erase_if(rules_, [&](const Rule& one) { return one.name == rule.name; });
  if (rules_.size() >= kMostRules) return;
  if (!rule.metric.empty()) {
    any_ = true;
    latest_.try_emplace(rule.metric, Latest{.value = std::nan(""), .row = -1});
  }
  rules_.push_back(std::move(rule));
}

void StepMetrics::take(const std::string& name, double value) {
  if (const auto known = latest_.find(name); known != latest_.end()) {
    known->second = {.value = value, .row = row_};
  }
}

const StepMetrics::Rule* StepMetrics::rule_of(std::string_view name) const {
  const Rule* glob = nullptr;
  const Rule* exact = nullptr;
  for (const Rule& rule : rules_) {
    if (rule.name == name) exact = &rule;
    if (glob_fits(rule.name, name)) glob = &rule;
  }
  // With "*", the metric that counts the others' steps counts its own, too.
  return exact == nullptr || (glob != nullptr && glob->metric == name) ? glob : exact;
}

std::int64_t StepMetrics::step_of(std::string_view name, std::int64_t own) const {
  if (!any_) return own;
  const Rule* rule = rule_of(name);
  if (rule == nullptr || rule->metric.empty()) return own;
  const auto latest = latest_.find(rule->metric);
  if (latest == latest_.end() || (!rule->sync && latest->second.row != row_)) return own;
  const double value = latest->second.value;
  constexpr double kMost = 4611686018427387904.0;  // 2^62
  if (!(value >= 0 && value < kMost) || std::trunc(value) != value) return own;
  return static_cast<std::int64_t>(value);
}

}  // namespace flatout::trackers::wandb
