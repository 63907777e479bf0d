// The table [search] of a space: objective, trials, rungs, budget.
#include <algorithm>
#include <cstdint>
#include <functional>
#include <set>
#include <string>
#include <utility>

#include "apply/search/space_reading.h"
#include "apply/time_text.h"

namespace flatout::apply {

using base::Result;

namespace {

constexpr int kMostReduction = 10;

Result<std::int64_t> whole(const Place& place, const toml::table& table, const char* key,
                           std::int64_t least, std::int64_t most, std::int64_t otherwise) {
  const toml::node* node = table.get(key);
  if (node == nullptr) return otherwise;
  const auto* value = node->as_integer();
  if (value == nullptr || value->get() < least || value->get() > most) {
    return place.wrong(*node, std::string(key) + " is a whole number from " +
                                  std::to_string(least) + " to " + std::to_string(most));
  }
  return value->get();
}

Result<void> read_listed_steps(const Place& place, const toml::node& node, SearchSpace& to) {
  const auto* list = node.as_array();
  to.steps.clear();
  for (std::size_t i = 0; list != nullptr && i < list->size() && i <= kMostRungs; ++i) {
    to.steps.push_back(list->get(i)->is_integer() ? list->get(i)->as_integer()->get() : -1);
  }
  const bool rising =
      std::ranges::adjacent_find(to.steps, std::greater_equal<>()) == to.steps.end();
  const bool sane = !to.steps.empty() && to.steps.size() <= kMostRungs && rising &&
                    to.steps.front() >= kFewestSearchSteps && to.steps.back() <= kMostSearchSteps;
  if (sane) return {};
  return place.wrong(node, "steps is a rising list of up to " + std::to_string(kMostRungs) +
                               " whole numbers from " + std::to_string(kFewestSearchSteps) +
                               ", such as steps = [20, 60, 180]");
}

Result<void> read_steps(const Place& place, const toml::table& table, SearchSpace& to) {
  if (const toml::node* node = table.get("steps"); node != nullptr) {
    if (table.contains("min_steps") || table.contains("max_steps")) {
      return place.wrong(*node, "give either steps, or min_steps and max_steps");
    }
    return read_listed_steps(place, *node, to);
  }
  if (!table.contains("min_steps") && !table.contains("max_steps")) return {};
  const auto least = whole(place, table, "min_steps", kFewestSearchSteps, kMostSearchSteps, 20);
  if (!least) return std::unexpected(least.error());
  const auto most = whole(place, table, "max_steps", kFewestSearchSteps, kMostSearchSteps, 180);
  if (!most) return std::unexpected(most.error());
  if (*least > *most) return place.wrong(table, "min_steps is greater than max_steps");
  to.steps.clear();
  for (std::int64_t steps = *least; steps <= *most && to.steps.size() < kMostRungs;) {
    to.steps.push_back(steps);
    steps *= to.reduction;
  }
  return {};
}

Result<void> read_objective(const Place& place, const toml::table& table, SearchSpace& to) {
  run::SearchObjective& objective = to.objective;
  if (const toml::node* node = table.get("objective"); node != nullptr) {
    const auto name = node->value<std::string>().value_or("");
    constexpr std::string_view kLogged = "log:";
    objective.logged = name.starts_with(kLogged) ? name.substr(kLogged.size()) : "";
    const bool logged = !objective.logged.empty() && objective.logged.size() <= kLongestName &&
                        printable(objective.logged);
    if (!logged && name != "samples_per_s" && name != "device_busy") {
      return place.wrong(*node,
                         "objective is \"samples_per_s\", \"device_busy\" or \"log:NAME\" of a "
                         "value that the program logs, such as \"log:flatout.loss\"");
    }
    objective.kind = logged                  ? run::SearchObjective::Kind::kLogged
                     : name == "device_busy" ? run::SearchObjective::Kind::kDeviceBusy
                                             : run::SearchObjective::Kind::kSamplesPerSecond;
  }
  // What is logged is most often a loss.
  objective.maximise = objective.kind != run::SearchObjective::Kind::kLogged;
  if (const toml::node* node = table.get("direction"); node != nullptr) {
    const auto direction = node->value<std::string>().value_or("");
    if (direction != "max" && direction != "min") {
      return place.wrong(*node, "direction is \"max\" or \"min\"");
    }
    objective.maximise = direction == "max";
  }
  return {};
}

}  // namespace

Result<void> only_keys(const Place& place, const toml::table& table, const std::string& what,
                       std::span<const std::string_view> known) {
  for (const auto& [key, node] : table) {
    if (std::ranges::find(known, key.str()) != known.end()) continue;
    std::string names;
    for (const auto name : known) names += (names.empty() ? "" : ", ") + std::string(name);
    const bool shown = printable(key.str()) && key.str().size() <= kLongestName;
    return place.wrong(
        node, what + " has no '" + (shown ? std::string(key.str()) : "?") + "'; it has " + names);
  }
  return {};
}

Result<void> read_search(const Place& place, const toml::table& table, SearchSpace& to) {
  static constexpr std::string_view kKeys[] = {"objective", "direction", "trials",
                                               "steps",     "min_steps", "max_steps",
                                               "reduction", "seed",      "budget"};
  if (auto known = only_keys(place, table, "[search]", kKeys); !known) return known;
  if (auto read = read_objective(place, table, to); !read) return read;
  const auto trials = whole(place, table, "trials", 1, kMostSearchTrials, to.trials);
  if (!trials) return std::unexpected(trials.error());
  to.trials = static_cast<int>(*trials);
  const auto reduction = whole(place, table, "reduction", 2, kMostReduction, to.reduction);
  if (!reduction) return std::unexpected(reduction.error());
  to.reduction = static_cast<int>(*reduction);
  const auto seed = whole(place, table, "seed", 0, INT64_MAX, 0);
  if (!seed) return std::unexpected(seed.error());
  to.seed = static_cast<std::uint64_t>(*seed);
  if (const toml::node* node = table.get("budget"); node != nullptr) {
    to.budget_ns = parse_time(node->value<std::string>().value_or(""));
    if (!to.budget_ns) return place.wrong(*node, "budget is a time: \"90s\", \"10m\" or \"2h\"");
  }
  return read_steps(place, table, to);
}

}  // namespace flatout::apply
