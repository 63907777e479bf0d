#include "apply/search/space.h"

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>
#include <set>
#include <span>
#include <utility>

#include "apply/knob_values.h"
#include "apply/plan_variables.h"
#include "apply/search/space_reading.h"
#include "base/toml.h"
#include "run/knob_table.h"

namespace flatout::apply {
namespace {

using base::ErrorCode;
using base::Result;
using Kind = run::SearchSetting::Kind;

constexpr std::size_t kLongestText = 1000;
// Beyond it a double no longer holds every whole number.
constexpr double kMostWhole = 9e15;

// A JSON choice_literal; "" for what is no value.
std::string choice_literal(const toml::node& node) {
  if (const auto* value = node.as_boolean()) return value->get() ? "true" : "false";
  if (const auto* value = node.as_integer()) return std::to_string(value->get());
  if (const auto* value = node.as_floating_point()) {
    return std::isfinite(value->get()) ? nlohmann::json(value->get()).dump() : "";
  }
  const auto* text = node.as_string();
  if (text == nullptr || text->get().size() > kLongestText || !printable(text->get())) return "";
  return nlohmann::json(text->get()).dump();
}

Result<void> read_choices(const Place& place, const toml::table& table, Dimension& to) {
  const toml::node& node = *table.get("values");
  const auto* list = node.as_array();
  const std::size_t count = list == nullptr ? 0 : list->size();
  if (count == 0 || count > kMostChoices) {
    return place.wrong(node, to.name + ": values is a list of 1 to " +
                                 std::to_string(kMostChoices) + ", such as values = [0, 2, 4]");
  }
  for (const auto& item : *list) {
    const std::string value = choice_literal(item);
    if (value.empty()) {
      return place.wrong(item, to.name +
                                   ": a value is a number, true, false or a text of at most 1000 "
                                   "printable ASCII characters");
    }
    if (std::ranges::find(to.choices, value) != to.choices.end()) {
      return place.wrong(item, to.name + ": the value " + value + " is there twice");
    }
    to.choices.push_back(value);
  }
  return {};
}

Result<double> number(const Place& place, const toml::table& table, const char* key,
                      const Dimension& of) {
  const toml::node* node = table.get(key);
  const auto value = node == nullptr ? std::optional<double>() : node->value<double>();
  if (!value || !node->is_number() || !std::isfinite(*value) || std::abs(*value) > kMostWhole) {
    return place.wrong(node == nullptr ? static_cast<const toml::node&>(table) : *node,
                       of.name + ": " + key + " must be a number, such as from = 1, to = 8");
  }
  return *value;
}

Result<void> read_scale(const Place& place, const toml::table& table, Dimension& to) {
  const toml::node* node = table.get("scale");
  if (node == nullptr) return {};
  const auto scale = node->value<std::string>().value_or("");
  if (scale != "log" && scale != "linear") {
    return place.wrong(*node, to.name + ": scale is \"log\" or \"linear\"");
  }
  to.range.log = scale == "log";
  if (to.range.log && !(to.range.from > 0)) {
    return place.wrong(*node, to.name + ": a logarithmic scale begins above 0");
  }
  return {};
}

Result<void> read_range(const Place& place, const toml::table& table, Dimension& to) {
  const auto from = number(place, table, "from", to);
  if (!from) return std::unexpected(from.error());
  const auto end = number(place, table, "to", to);
  if (!end) return std::unexpected(end.error());
  Range& range = to.range;
  range.from = *from;
  range.to = *end;
  range.whole = table.get("from")->is_integer() && table.get("to")->is_integer();
  if (range.from >= range.to) {
    return place.wrong(table, to.name + ": from must be less than to");
  }
  if (auto read = read_scale(place, table, to); !read) return read;
  if (table.contains("step")) {
    const auto step = number(place, table, "step", to);
    if (!step) return std::unexpected(step.error());
    range.step = *step;
    const bool sane = *step > 0 && (range.to - range.from) / *step <= kMostWhole && !range.log;
    if (!sane) {
      return place.wrong(*table.get("step"),
                         to.name + ": step must be above 0, and goes with a linear scale only");
    }
    range.whole = range.whole && table.get("step")->is_integer();
  }
  if (range.whole && range.step == 0 && !range.log) range.step = 1;
  return {};
}

Result<void> check_name(const Place& place, const toml::node& node, const Dimension& of) {
  const std::string& name = of.name;
  const bool shown = !name.empty() && name.size() <= kLongestName && printable(name);
  const bool plain = shown && name.find_first_of(" ='\"\\") == std::string::npos && name != "--";
  if (!plain) {
    return place.wrong(node, (shown ? "'" + name + "'" : std::string("this")) +
                                 " is no name of an argument, variable or knob: 1 to 128 ASCII "
                                 "characters without blanks, quotes and =");
  }
  if (of.kind != Kind::kEnvironment) return {};
  const bool variable =
      name.find_first_not_of("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_") ==
          std::string::npos &&
      (name[0] < '0' || name[0] > '9');
  if (!variable) return place.wrong(node, "'" + name + "' is no name of a variable");
  if (name.starts_with("FLATOUT_")) {
    return place.wrong(node, name + " is flatout's own and cannot be searched over");
  }
  return {};
}

using Found = std::vector<std::pair<toml::source_position, Dimension>>;

// A knob's dotted name is tables in tables, unless it is in quotes.
bool is_dimension(const toml::table& table) {
  return table.contains("values") || table.contains("from") || table.contains("to") ||
         table.empty();
}

// Why a knob of flatout's does not take one of the values, with the value; "" where it takes all.
// Of a range both ends say enough.
std::string wrong_for_its_knob(const Dimension& of) {
  const run::KnobFacts* facts = of.kind == Kind::kKnob ? run::knob_facts(of.name) : nullptr;
  if (facts == nullptr) return "";
  std::vector<std::string> values = of.choices;
  if (values.empty()) {
    for (const double end : {of.range.from, of.range.to}) {
      values.push_back(of.range.whole ? std::to_string(static_cast<std::int64_t>(end))
                                      : std::to_string(end));
    }
  }
  for (const std::string& value : values) {
    const std::string problem = wrong_value(facts->values, value);
    if (!problem.empty()) return of.name + " = " + value + ": " + problem;
  }
  return "";
}

Result<void> read_dimension(const Place& place, const toml::table& table, Dimension dimension,
                            Found& out) {
  static constexpr std::string_view kKeys[] = {"values", "from", "to", "step", "scale"};
  if (auto checked = check_name(place, table, dimension); !checked) return checked;
  if (auto known = only_keys(place, table, dimension.name, kKeys); !known) return known;
  const bool listed = table.contains("values");
  if (listed && table.size() > 1) {
    return place.wrong(table, dimension.name + " has either values or from and to");
  }
  auto read = listed ? read_choices(place, table, dimension) : read_range(place, table, dimension);
  if (!read) return read;
  if (const std::string problem = wrong_for_its_knob(dimension); !problem.empty()) {
    return place.wrong(table, problem);
  }
  if (out.size() >= kMostDimensions) {
    return place.wrong(table, "a space has at most " + std::to_string(kMostDimensions) + " lines");
  }
  out.emplace_back(table.source().begin, std::move(dimension));
  return {};
}

Result<void> read_dimensions(const Place& place, const toml::table& table, Kind kind,
                             const std::string& prefix, Found& out) {
  for (const auto& [key, node] : table) {
    const auto* inner = node.as_table();
    Dimension dimension;
    dimension.kind = kind;
    dimension.name = prefix + std::string(key.str());
    if (inner == nullptr) {
      const bool shown = printable(dimension.name) && dimension.name.size() <= kLongestName;
      return place.wrong(node, (shown ? dimension.name : "a line") +
                                   " must say its values: {values = [1, 2]} or {from = 1, to = 8}");
    }
    if (kind == Kind::kKnob && !is_dimension(*inner)) {
      if (auto read = read_dimensions(place, *inner, kind, dimension.name + ".", out); !read) {
        return read;
      }
      continue;
    }
    if (auto read = read_dimension(place, *inner, std::move(dimension), out); !read) return read;
  }
  return {};
}

// The table of that name; null where there is none. Something else is an error.
Result<const toml::table*> table_of(const Place& place, const toml::table& document,
                                    const char* key) {
  const toml::node* node = document.get(key);
  if (node == nullptr) return nullptr;
  if (node->is_table()) return node->as_table();
  return place.wrong(*node, std::string(key) + " is a table: [" + key + "]");
}

Result<SearchSpace> from_document(const Place& place, const toml::table& document) {
  static constexpr std::string_view kKeys[] = {"search", "arguments", "environment", "knobs"};
  static constexpr std::pair<const char*, Kind> kKinds[] = {
      {"arguments", Kind::kArgument}, {"environment", Kind::kEnvironment}, {"knobs", Kind::kKnob}};
  if (auto known = only_keys(place, document, "a space", kKeys); !known) {
    return std::unexpected(known.error());
  }
  SearchSpace space;
  const auto search = table_of(place, document, "search");
  if (!search) return std::unexpected(search.error());
  if (*search != nullptr) {
    if (auto read = read_search(place, **search, space); !read) {
      return std::unexpected(read.error());
    }
  }
  Found found;
  for (const auto& [key, kind] : kKinds) {
    const auto table = table_of(place, document, key);
    if (!table) return std::unexpected(table.error());
    if (*table == nullptr) continue;
    if (auto read = read_dimensions(place, **table, kind, "", found); !read) {
      return std::unexpected(read.error());
    }
  }
  if (found.empty()) {
    return base::fail(ErrorCode::kInvalid,
                      place.file +
                          ": a space needs something to vary, in [arguments], [environment] or "
                          "[knobs], such as \"--workers\" = {values = [0, 2, 4]}");
  }
  std::ranges::stable_sort(found, [](const auto& a, const auto& b) { return a.first < b.first; });
  for (auto& [position, dimension] : found) space.dimensions.push_back(std::move(dimension));
  return space;
}

}  // namespace

Result<SearchSpace> parse_space(std::string_view text, const std::string& name) {
  if (text.size() > kMaxSpaceBytes) {
    return base::fail(ErrorCode::kTooLarge, name + ": a space has at most 64 KiB");
  }
  // As in plans: what toml++ makes of white space beyond ASCII is not defined.
  const auto odd = std::ranges::find_if(text, [](char c) { return (c & 0x80) != 0; });
  if (odd != text.end()) {
    return base::fail(ErrorCode::kInvalid,
                      name + ", line " + std::to_string(1 + std::count(text.begin(), odd, '\n')) +
                          ": a space is ASCII");
  }
  try {
    return from_document({name}, toml::parse(text));
  } catch (const toml::parse_error& error) {
    return base::fail(ErrorCode::kInvalid, name + ", line " +
                                               std::to_string(error.source().begin.line) + ": " +
                                               std::string(error.description()));
  } catch (const std::logic_error& error) {  // an assertion, see toml.h
    return base::fail(ErrorCode::kInvalid, name + ": " + error.what());
  }
}

std::optional<std::uint64_t> count_points(const SearchSpace& space) {
  double count = 1;
  for (const Dimension& dimension : space.dimensions) {
    const Range& range = dimension.range;
    if (!dimension.choices.empty()) {
      count *= static_cast<double>(dimension.choices.size());
    } else if (range.step > 0) {
      count *= std::floor((range.to - range.from) / range.step * (1 + 1e-12) + 1e-9) + 1;
    } else if (range.whole) {
      count *= range.to - range.from + 1;
    } else {
      return std::nullopt;
    }
    if (count > 1e15) return std::nullopt;
  }
  return static_cast<std::uint64_t>(count);
}

std::vector<std::string> refused_variables(const SearchSpace& space,
                                           const std::set<std::string>& allowed) {
  std::vector<std::string> out;
  for (const Dimension& dimension : space.dimensions) {
    if (dimension.kind != run::SearchSetting::Kind::kEnvironment) continue;
    const auto chosen = [&](const std::string& literal) {
      const auto value = nlohmann::json::parse(literal, nullptr, /*allow_exceptions=*/false);
      return chooses_code(dimension.name, value.is_string() ? value.get<std::string>() : "");
    };
    const bool chooses =
        chooses_code(dimension.name, "") || std::ranges::any_of(dimension.choices, chosen);
    if (chooses && !allowed.contains(dimension.name)) out.push_back(dimension.name);
  }
  return out;
}

}  // namespace flatout::apply
