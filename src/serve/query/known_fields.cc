#include "serve/query/known_fields.h"

#include <algorithm>
#include <iterator>
#include <numeric>
#include <set>
#include <string_view>

namespace flatout::serve {
namespace {

// Names that mean something, whether or not a run of this store has it.
constexpr std::string_view kKnown[] = {
    "cause", "command", "confidence", "config",   "device_busy",   "duration_s", "finding",
    "group", "host",    "id",         "job_type", "kind",          "median_ms",  "name",
    "note",  "parent",  "problem",    "project",  "samples_per_s", "started_ms", "state",
    "steps", "summary", "tags",       "tracked",  "trials",        "bytes",      "verdict"};

constexpr std::size_t kMostNames = 20'000;

// "config.optimizer.lr" of each value, as a person writes it.
void add_names(const Json& object, const std::string& above, int depth, std::set<std::string>& to) {
  constexpr int kDeepest = 8;
  for (const auto& [key, value] : object.items()) {
    if (to.size() >= kMostNames) return;
    if (value.is_object() && depth < kDeepest) {
      add_names(value, above + key + ".", depth + 1, to);
    } else {
      to.insert(above + key);
    }
  }
}

std::set<std::string> names_of(std::span<const Json* const> rows) {
  std::set<std::string> out(std::begin(kKnown), std::end(kKnown));
  for (const Json* row : rows) {
    const auto tracked = row->find("tracked");
    if (tracked == row->end() || !tracked->is_object()) continue;
    for (const char* of : {"config", "summary"}) {
      const auto found = tracked->find(of);
      if (found == tracked->end() || !found->is_object()) continue;
      add_names(*found, std::string(of) + ".", 0, out);
    }
  }
  return out;
}

// Letters to put in, take out or change.
std::size_t distance(std::string_view a, std::string_view b) {
  std::vector<std::size_t> row(b.size() + 1);
  std::iota(row.begin(), row.end(), std::size_t{0});
  for (std::size_t i = 0; i < a.size(); ++i) {
    std::size_t diagonal = row[0]++;
    for (std::size_t j = 0; j < b.size(); ++j) {
      const std::size_t changed = diagonal + (a[i] == b[j] ? 0 : 1);
      diagonal = row[j + 1];
      row[j + 1] = std::min({row[j] + 1, row[j + 1] + 1, changed});
    }
  }
  return row.back();
}

// "" where nothing is near. "lr" means "config.lr".
std::string nearest(std::string_view name, const std::set<std::string>& names) {
  constexpr std::size_t kLongest = 128;
  if (name.size() > kLongest) return "";
  const std::string ending = "." + std::string(name);
  std::string best;
  std::size_t least = std::max<std::size_t>(1, name.size() / 3) + 1;
  for (const std::string& one : names) {
    if (one.ends_with(ending)) return one;
    if (one.size() > kLongest) continue;
    const std::size_t changes = distance(name, one);
    if (changes >= least) continue;
    least = changes;
    best = one;
  }
  return best;
}

}  // namespace

std::vector<std::string> unknown_fields(const Query& query, std::span<const Json* const> rows) {
  std::vector<std::string> out;
  if (rows.empty()) return out;
  std::set<std::string> names;
  for (const std::string& field : query.fields()) {
    if (std::ranges::find(kKnown, field) != std::end(kKnown)) continue;
    const auto has = [&](const Json* row) { return field_of(*row, field) != nullptr; };
    if (std::ranges::any_of(rows, has)) continue;
    if (names.empty()) names = names_of(rows);
    const std::string near = nearest(field, names);
    out.push_back("no run has " + field + (near.empty() ? "" : "; did you mean " + near + "?"));
  }
  return out;
}

}  // namespace flatout::serve
