#include "run/search.h"

#include <algorithm>

namespace flatout::run {

std::string plain_text(const std::string& json) {
  if (json.size() < 2 || json.front() != '"' || json.back() != '"') return json;
  std::string out;
  for (std::size_t i = 1; i + 1 < json.size(); ++i) {
    // The only escapes of printable ASCII.
    if (json[i] == '\\' && (json[i + 1] == '"' || json[i + 1] == '\\')) ++i;
    out += json[i];
  }
  return out;
}

std::string point_text(const std::vector<SearchSetting>& settings) {
  std::string out;
  for (const auto& setting : settings) {
    const std::string name = setting.kind == SearchSetting::Kind::kKnob
                                 ? setting.name.substr(setting.name.find('.') + 1)
                                 : setting.name;
    out += (out.empty() ? "" : " ") + name + "=" + plain_text(setting.value);
  }
  return out;
}

std::string objective_name(const SearchObjective& objective) {
  switch (objective.kind) {
    case SearchObjective::Kind::kSamplesPerSecond:
      return "samples_per_s";
    case SearchObjective::Kind::kDeviceBusy:
      return "device_busy";
    case SearchObjective::Kind::kLogged:
      break;
  }
  return "log:" + objective.logged;
}

const SearchResult* last_value(const SearchPointReport& point) {
  const SearchResult* last = nullptr;
  for (const auto& result : point.results) {
    if (result.value && (last == nullptr || result.rung > last->rung)) last = &result;
  }
  return last;
}

std::vector<const SearchPointReport*> ranked_points(const SearchReport& search) {
  std::vector<const SearchPointReport*> out;
  for (const auto& point : search.points) {
    if (last_value(point) != nullptr) out.push_back(&point);
  }
  std::ranges::stable_sort(out, [&](const auto* a, const auto* b) {
    const SearchResult& of_a = *last_value(*a);
    const SearchResult& of_b = *last_value(*b);
    if (of_a.rung != of_b.rung) return of_a.rung > of_b.rung;
    if (*of_a.value == *of_b.value) return a->number < b->number;
    return search.objective.maximise ? *of_a.value > *of_b.value : *of_a.value < *of_b.value;
  });
  return out;
}

const SearchPointReport* best_point(const SearchReport& search) {
  const auto ranked = ranked_points(search);
  return ranked.empty() ? nullptr : ranked.front();
}

}  // namespace flatout::run
