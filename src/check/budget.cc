#include "check/budget.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <span>
#include <utility>

#include "base/file.h"
#include "base/nearest_name.h"
#include "base/toml.h"
#include "check/figures.h"
#include "check/quantity_of_text.h"
#include "run/run.h"

namespace flatout::check {
namespace {

using base::ErrorCode;
using base::Result;
using Names = std::vector<std::string_view>;

constexpr std::size_t kLongestName = 512;  // of a value that a program logs

constexpr std::array<std::string_view, 14> kCautions = {
    "busy_machine", "other_machine", "other_cpus",       "other_devices",    "other_device_kind",
    "other_load",   "other_model",   "other_batch_size", "other_world_size", "still_running",
    "lost",         "few_steps",     "dropped_events",   "other_epoch_gaps"};
constexpr std::array<std::string_view, 5> kStates = {"running", "finished", "failed", "killed",
                                                     "lost"};

// What is being read, for messages.
struct Reading {
  const std::string& file;
  std::unexpected<base::Error> wrong(const toml::node& where, const std::string& what) const {
    return base::fail(ErrorCode::kInvalid,
                      file + ", line " + std::to_string(where.source().begin.line) + ": " + what);
  }
};

// Text of the file in a message of one line.
std::string shown(std::string_view name) {
  std::string out;
  for (const char c : name.substr(0, 80)) out += c >= ' ' && c <= '~' ? c : '?';
  return "'" + out + (name.size() > 80 ? "...'" : "'");
}

// What toml++ says may hold what it met.
std::string one_line(std::string text) {
  std::ranges::replace_if(text, [](char c) { return c < ' ' || c > '~'; }, '?');
  return text;
}

std::string meant(std::string_view name, std::span<const std::string_view> known) {
  const std::string nearest = base::nearest_name(name, known);
  return nearest.empty() ? "" : "; did you mean " + nearest + "?";
}

std::string joined(std::span<const std::string_view> names) {
  std::string out;
  for (const std::string_view name : names) out += (out.empty() ? "" : ", ") + std::string(name);
  return out;
}

Result<void> only_keys(const Reading& reading, const toml::table& table, const std::string& what,
                       std::span<const std::string_view> known) {
  for (const auto& [key, node] : table) {
    if (std::ranges::find(known, key.str()) != known.end()) continue;
    return reading.wrong(
        node,
        what + " has no " + shown(key.str()) + meant(key.str(), known) +
            (base::nearest_name(key.str(), known).empty() ? "; it takes " + joined(known) : ""));
  }
  return {};
}

std::string example_of(std::string_view unit) {
  if (unit == "ratio") return "0.1 or \"10 %\"";
  if (unit == "bytes") return "70e9 or \"70 GB\"";
  if (unit == "ms") return "120 or \"120 ms\"";
  if (unit == "s") return "90 or \"90 s\"";
  return "3";
}

// The number at `key`; absent where there is none.
Result<std::optional<double>> number(const Reading& reading, const toml::table& line,
                                     const char* key, const std::string& name,
                                     std::string_view unit) {
  const toml::node* node = line.get(key);
  if (node == nullptr) return std::optional<double>();
  std::optional<double> value;
  if (node->is_number()) value = node->value<double>();
  if (const auto* text = node->as_string()) value = quantity_of(text->get(), unit);
  if (!value || !std::isfinite(*value)) {
    return reading.wrong(*node,
                         name + ": " + key + " must be a number, such as " + example_of(unit));
  }
  return value;
}

Result<bool> flag(const Reading& reading, const toml::table& line, const char* key,
                  const std::string& name) {
  const toml::node* node = line.get(key);
  if (node == nullptr) return false;
  if (const auto* value = node->as_boolean()) return value->get();
  return reading.wrong(*node, name + ": " + key + " is true or false");
}

struct Found {
  toml::source_position at;
  std::string name;  // dotted
  const toml::table* line = nullptr;
};

Names figure_names(bool of_baseline) {
  Names names;
  for (const FigureFacts& facts : known_figures()) {
    if (!of_baseline || facts.against_baseline) names.push_back(facts.name);
  }
  return names;
}

// Why `name` is no figure, and what there is.
std::string no_figure(std::string_view name, bool of_baseline) {
  const Names names = figure_names(of_baseline);
  if (of_baseline && figure_facts(name) != nullptr) {
    return shown(name) + " has no interval, so it cannot be held against a baseline; put it into " +
           "[limits]. Against a baseline: " + joined(names);
  }
  const std::string near = meant(name, names);
  return shown(name) + " is no figure" + (near.empty() ? "; there are " + joined(names) : near);
}

// Whose names the lines of a table are.
enum class NamesOf { kFigures, kBaseline, kValues };

// A line, {max = 3}, and no part of a dotted name: it stands for a figure, or what it holds is no
// table.
bool is_line(const toml::table& table, const std::string& name, NamesOf of) {
  if (of != NamesOf::kValues && figure_facts(name) != nullptr) return true;
  if (table.empty()) return true;
  return of == NamesOf::kValues &&
         std::ranges::any_of(table, [](const auto& entry) { return !entry.second.is_table(); });
}

// What stands where a line should.
std::unexpected<base::Error> no_line(const Reading& reading, const toml::node& node,
                                     const std::string& prefix, const std::string& name,
                                     NamesOf of) {
  if (of == NamesOf::kValues || figure_facts(name) != nullptr || prefix.empty()) {
    return reading.wrong(node, shown(name) + " must be a limit: {max = 0.1} or {min = 0.8}");
  }
  return reading.wrong(node,
                       no_figure(prefix.substr(0, prefix.size() - 1), of == NamesOf::kBaseline));
}

// Lines below `table`, by their dotted names, in the order of the file. `but`: a key that is none.
Result<void> find_lines(const Reading& reading, const toml::table& table, const std::string& prefix,
                        NamesOf of, std::vector<Found>& out, std::string_view but = "") {
  for (const auto& [key, node] : table) {
    if (!but.empty() && key.str() == but) continue;
    const std::string name = prefix + std::string(key.str());
    const auto* inner = node.as_table();
    if (name.empty() || name.size() > kLongestName) {
      return reading.wrong(node, "a name has 1 to " + std::to_string(kLongestName) + " bytes");
    }
    if (inner == nullptr) return no_line(reading, node, prefix, name, of);
    if (!is_line(*inner, name, of)) {
      if (auto found = find_lines(reading, *inner, name + ".", of, out); !found) return found;
      continue;
    }
    if (out.size() >= kMostLines) {
      return reading.wrong(node, "a budget has at most " + std::to_string(kMostLines) + " lines");
    }
    out.push_back({node.source().begin, name, inner});
  }
  std::ranges::stable_sort(out, [](const Found& a, const Found& b) { return a.at < b.at; });
  return {};
}

Result<Limit> read_limit(const Reading& reading, const Found& found, const std::string& id,
                         const std::string& figure, std::string_view unit) {
  static constexpr std::string_view kKeys[] = {"min", "max", "optional"};
  const std::string what = shown(found.name);
  if (auto known = only_keys(reading, *found.line, what, kKeys); !known) {
    return std::unexpected(known.error());
  }
  const auto least = number(reading, *found.line, "min", what, unit);
  if (!least) return std::unexpected(least.error());
  const auto most = number(reading, *found.line, "max", what, unit);
  if (!most) return std::unexpected(most.error());
  const auto optional = flag(reading, *found.line, "optional", what);
  if (!optional) return std::unexpected(optional.error());
  if (!*least && !*most) {
    return reading.wrong(*found.line, what + " needs a limit: {max = " + example_of(unit) + "}");
  }
  if (*least && *most && **least > **most) {
    return reading.wrong(*found.line, what + ": min is above max, so nothing keeps it");
  }
  return Limit{id, figure, *least, *most, *optional};
}

Result<void> read_limits(const Reading& reading, const toml::table& table, Budget& to) {
  std::vector<Found> lines;
  if (auto found = find_lines(reading, table, "", NamesOf::kFigures, lines); !found) return found;
  for (const Found& line : lines) {
    const FigureFacts* facts = figure_facts(line.name);
    if (facts == nullptr) return reading.wrong(*line.line, no_figure(line.name, false));
    auto limit = read_limit(reading, line, "limits." + line.name, line.name, facts->unit);
    if (!limit) return std::unexpected(limit.error());
    to.limits.push_back(std::move(*limit));
  }
  return {};
}

Result<void> read_values(const Reading& reading, const toml::table& table, Budget& to) {
  std::vector<Found> lines;
  if (auto found = find_lines(reading, table, "", NamesOf::kValues, lines); !found) return found;
  for (const Found& line : lines) {
    auto limit =
        read_limit(reading, line, "values." + line.name, std::string(kValuePrefix) + line.name, "");
    if (!limit) return std::unexpected(limit.error());
    to.limits.push_back(std::move(*limit));
  }
  return {};
}

// A list of some of `known`.
Result<std::vector<std::string>> names_of(const Reading& reading, const toml::table& table,
                                          const char* key,
                                          std::span<const std::string_view> known) {
  std::vector<std::string> out;
  const toml::node* node = table.get(key);
  if (node == nullptr) return out;
  const auto* list = node->as_array();
  if (list == nullptr) {
    return reading.wrong(*node, std::string(key) + " is a list, such as " + key + " = [\"" +
                                    std::string(known.front()) + "\"]");
  }
  for (const auto& item : *list) {
    const std::string name = item.value<std::string>().value_or("");
    if (std::ranges::find(known, name) == known.end()) {
      const std::string near = meant(name, known);
      return reading.wrong(item, std::string(key) + " has no " + shown(name) +
                                     (near.empty() ? "; there are " + joined(known) : near));
    }
    if (std::ranges::find(out, name) == out.end()) out.push_back(name);
  }
  return out;
}

Result<void> read_run(const Reading& reading, const toml::table& table, const Names& finding_ids,
                      Budget& to) {
  static constexpr std::string_view kKeys[] = {"states", "no_findings"};
  if (auto known = only_keys(reading, table, "[run]", kKeys); !known) return known;
  auto states = names_of(reading, table, "states", kStates);
  if (!states) return std::unexpected(states.error());
  auto findings = names_of(reading, table, "no_findings", finding_ids);
  if (!findings) return std::unexpected(findings.error());
  to.states = std::move(*states);
  to.no_findings = std::move(*findings);
  return {};
}

Result<BaselineLimit> read_worse(const Reading& reading, const Found& found) {
  static constexpr std::string_view kKeys[] = {"worse_by", "strict", "optional"};
  const std::string what = shown(found.name);
  const FigureFacts* facts = figure_facts(found.name);
  if (facts == nullptr || !facts->against_baseline) {
    return reading.wrong(*found.line, no_figure(found.name, true));
  }
  if (auto known = only_keys(reading, *found.line, what, kKeys); !known) {
    return std::unexpected(known.error());
  }
  const auto worse = number(reading, *found.line, "worse_by", what, "ratio");
  if (!worse) return std::unexpected(worse.error());
  if (!*worse || **worse < 0) {
    return reading.wrong(*found.line,
                         what + " needs how much worse it may be: {worse_by = \"5 %\"}");
  }
  const auto strict = flag(reading, *found.line, "strict", what);
  if (!strict) return std::unexpected(strict.error());
  const auto optional = flag(reading, *found.line, "optional", what);
  if (!optional) return std::unexpected(optional.error());
  return BaselineLimit{"baseline." + found.name, found.name, **worse, *strict, *optional};
}

Result<void> read_baseline(const Reading& reading, const toml::table& table, Budget& to) {
  auto refuse = names_of(reading, table, "refuse", kCautions);
  if (!refuse) return std::unexpected(refuse.error());
  to.refuse = std::move(*refuse);
  std::vector<Found> lines;
  if (auto found = find_lines(reading, table, "", NamesOf::kBaseline, lines, "refuse"); !found) {
    return found;
  }
  for (const Found& line : lines) {
    auto limit = read_worse(reading, line);
    if (!limit) return std::unexpected(limit.error());
    to.baseline.push_back(std::move(*limit));
  }
  return {};
}

Result<Budget> from_document(const Reading& reading, const toml::table& document,
                             const Names& finding_ids) {
  static constexpr std::string_view kKeys[] = {"limits", "values", "run", "baseline"};
  if (auto known = only_keys(reading, document, "a budget", kKeys); !known) {
    return std::unexpected(known.error());
  }
  Budget budget;
  for (const std::string_view key : kKeys) {
    const toml::node* node = document.get(key);
    if (node == nullptr) continue;
    const auto* table = node->as_table();
    if (table == nullptr) {
      return reading.wrong(*node, std::string(key) + " is a table: [" + std::string(key) + "]");
    }
    auto read = key == "limits"   ? read_limits(reading, *table, budget)
                : key == "values" ? read_values(reading, *table, budget)
                : key == "run"    ? read_run(reading, *table, finding_ids, budget)
                                  : read_baseline(reading, *table, budget);
    if (!read) return std::unexpected(read.error());
  }
  const bool empty = budget.limits.empty() && budget.states.empty() && budget.no_findings.empty() &&
                     budget.baseline.empty() && budget.refuse.empty();
  if (!empty) return budget;
  return base::fail(ErrorCode::kInvalid,
                    reading.file +
                        ": a budget needs a limit in [limits], [values], [run] or "
                        "[baseline], such as step.median_ms = {max = 120}");
}

}  // namespace

Result<Budget> parse_budget(std::string_view text, const std::string& name,
                            const std::vector<std::string>& finding_ids) {
  if (text.size() > kMaxBudgetBytes) {
    return base::fail(ErrorCode::kTooLarge, name + ": a budget has at most 64 KiB");
  }
  // As in plans: what toml++ makes of white space beyond ASCII is not defined.
  const auto odd = std::ranges::find_if(text, [](char c) { return (c & 0x80) != 0; });
  if (odd != text.end()) {
    return base::fail(ErrorCode::kInvalid,
                      name + ", line " + std::to_string(1 + std::count(text.begin(), odd, '\n')) +
                          ": a budget is ASCII; write \\u00e9 for e acute");
  }
  try {
    return from_document({name}, toml::parse(text), Names(finding_ids.begin(), finding_ids.end()));
  } catch (const toml::parse_error& error) {
    return base::fail(ErrorCode::kInvalid, name + ", line " +
                                               std::to_string(error.source().begin.line) + ": " +
                                               one_line(std::string(error.description())));
  } catch (const std::logic_error& error) {  // an assertion, see base/toml.h
    return base::fail(ErrorCode::kInvalid, name + ": " + one_line(error.what()));
  }
}

Result<Budget> read_budget(const std::filesystem::path& path,
                           const std::vector<std::string>& finding_ids) {
  const auto text = base::read_file(path, kMaxBudgetBytes);
  if (!text) return std::unexpected(text.error());
  return parse_budget(*text, path.string(), finding_ids);
}

}  // namespace flatout::check
