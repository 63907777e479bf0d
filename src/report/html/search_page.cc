// The page of a search: its best point, and what every other one measured.
#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <set>

#include "base/shell_word.h"
#include "report/html/html.h"
#include "report/html/parts.h"
#include "report/html/scale.h"
#include "report/html/shell.h"
#include "report/quantity.h"
#include "report/search_json.h"
#include "report/search_words.h"
#include "report/text_parts.h"

namespace flatout::report {
namespace html {
namespace {

bool is_ratio(const run::SearchObjective& objective) {
  return objective.kind == run::SearchObjective::Kind::kDeviceBusy;
}

std::string objective_title(const run::SearchObjective& objective) {
  switch (objective.kind) {
    case run::SearchObjective::Kind::kSamplesPerSecond:
      return "samples a second";
    case run::SearchObjective::Kind::kDeviceBusy:
      return "device busy";
    case run::SearchObjective::Kind::kLogged:
      break;
  }
  return objective.logged;
}

std::string search_headline(const run::SearchReport& search) {
  if (run::best_point(search) == nullptr) return "No point measured anything";
  if (!search.final) return "Not repeated";
  return search.final->confirmed ? "Confirmed" : "Not confirmed";
}

std::string search_summary(const run::SearchReport& search) {
  const run::SearchPointReport* best = run::best_point(search);
  if (best == nullptr) return "";
  const run::SearchResult* value = run::last_value(*best);
  return "Best of " + std::to_string(search.points.size()) + " points: #" +
         std::to_string(best->number) + " (" + run::point_text(best->settings) + ")" +
         (value != nullptr ? ", " + objective_text(search.objective, *value->value) + " after " +
                                 std::to_string(value->steps) + " steps"
                           : "") +
         ".";
}

std::vector<std::string> search_notes(const run::SearchReport& search) {
  std::vector<std::string> notes;
  if (search.out_of_time) notes.emplace_back("The budget is used up.");
  if (run::best_point(search) != nullptr && search.final && !search.final->confirmed) {
    notes.emplace_back("It was not shown to be better than the program as it is.");
  }
  if (search.interrupted) notes.emplace_back("Interrupted: nothing was repeated to confirm it.");
  for (const std::string& note : search.notes) notes.push_back("Note: " + note);
  return notes;
}

void search_tiles(Markup& out, const run::SearchReport& search) {
  const auto list = out.in("dl", {{"class", "tiles"}});
  if (search.baseline.value && std::isfinite(*search.baseline.value)) {
    tile(out, "the program as it is", *search.baseline.value,
         objective_text(search.objective, *search.baseline.value),
         std::to_string(search.baseline.steps) + " steps");
  }
  const run::SearchPointReport* best = run::best_point(search);
  const run::SearchResult* value = best == nullptr ? nullptr : run::last_value(*best);
  if (value != nullptr && std::isfinite(*value->value)) {
    tile(out, "best point", *value->value, objective_text(search.objective, *value->value),
         std::to_string(value->steps) + " steps");
  }
  if (search.final) gain_tile(out, "gain, repeated in turns", search.final->speedup);
  tile(out, "points", static_cast<double>(search.points.size()),
       std::to_string(search.points.size()), format_seconds(search.seconds));
}

// Where a dot of a rung looks like: the last rung is full, the best point coloured.
std::string rung_class(const run::SearchReport& search, const run::SearchPointReport& point,
                       const run::SearchResult& result) {
  const run::SearchPointReport* best = run::best_point(search);
  if (best == &point && run::last_value(point) == &result) return "final";
  return result.rung + 1 == static_cast<int>(search.steps.size()) ? "kept" : "";
}

struct ValueRange {
  double lo = 0, hi = 0;
  bool any = false;
  void include(double value) {
    if (!std::isfinite(value)) return;
    lo = any ? std::min(lo, value) : value;
    hi = any ? std::max(hi, value) : value;
    any = true;
  }
};

ValueRange values_of(const run::SearchReport& search) {
  ValueRange range;
  if (search.baseline.value) range.include(*search.baseline.value);
  for (const run::SearchPointReport& point : search.points) {
    for (const run::SearchResult& result : point.results) {
      if (result.value) range.include(*result.value);
    }
  }
  return range;
}

struct SearchAxis {
  std::string title, x_title, x_unit;
  double x0 = 0, x1 = 1;
};

// Each measured value where `place` says, nothing where it says nothing.
template <typename Place>
void value_chart(Markup& out, const run::SearchReport& search, const SearchAxis& axis,
                 const Place& place) {
  const ValueRange range = values_of(search);
  if (!range.any) return;
  const double bottom = range.lo < 0 ? -nice_ceiling(-range.lo) : 0;
  const double top = range.hi > 0 ? nice_ceiling(range.hi) : 0;
  const auto figure = out.in("figure");
  out.element("h3", axis.title);
  Plot plot(out, {.title = axis.title,
                  .description = "The table of points has the values.",
                  .x0 = axis.x0,
                  .x1 = axis.x1,
                  .y0 = bottom,
                  .y1 = top > bottom ? top : bottom + 1,
                  .height = 150,
                  .x_unit = axis.x_unit,
                  .y_unit = is_ratio(search.objective) ? "ratio" : "value",
                  .x_title = axis.x_title,
                  .y_title = objective_title(search.objective),
                  .timed = false,
                  .linear = false});
  plot.axes();
  if (search.baseline.value && std::isfinite(*search.baseline.value)) {
    plot.level(*search.baseline.value, "the program as it is", true, "marker");
  }
  for (const run::SearchPointReport& point : search.points) {
    const auto x = place(point);
    if (!x) continue;
    for (const run::SearchResult& result : point.results) {
      if (!result.value) continue;
      plot.dot(
          rung_class(search, point, result),
          "#" + std::to_string(point.number) + " after " + std::to_string(result.steps) + " steps",
          *x, *result.value);
    }
  }
}

void points_chart(Markup& out, const run::SearchReport& search) {
  const auto count = static_cast<double>(search.points.size());
  value_chart(out, search, {"Values, point by point", "point", "count", 0.5, count + 0.5},
              [](const run::SearchPointReport& point) {
                return std::optional(static_cast<double>(point.number));
              });
}

std::optional<double> number_of(const run::SearchPointReport& point, const std::string& name) {
  for (const run::SearchSetting& setting : point.settings) {
    if (setting.name != name) continue;
    const Json value = Json::parse(setting.value, nullptr, /*allow_exceptions=*/false);
    if (value.is_number() && std::isfinite(value.get<double>())) return value.get<double>();
  }
  return std::nullopt;
}

// One chart for each dimension of numbers with three values or more.
void dimension_charts(Markup& out, const run::SearchReport& search) {
  constexpr std::size_t kMost = 8;
  std::vector<std::string> names;
  for (const run::SearchPointReport& point : search.points) {
    for (const run::SearchSetting& setting : point.settings) {
      if (std::ranges::find(names, setting.name) == names.end()) names.push_back(setting.name);
    }
  }
  names.resize(std::min(names.size(), kMost));
  for (const std::string& name : names) {
    std::set<double> seen;
    for (const run::SearchPointReport& point : search.points) {
      if (const auto number = number_of(point, name)) seen.insert(*number);
    }
    if (seen.size() < 3) continue;
    const double lo = *seen.begin();
    const double hi = *seen.rbegin();
    const double edge = (hi - lo) * 0.04;
    value_chart(out, search, {"By " + name, name, "value", lo - edge, hi + edge},
                [&name](const run::SearchPointReport& point) { return number_of(point, name); });
  }
}

void point_row(Markup& out, const run::SearchReport& search, const run::SearchPointReport& point,
               const run::SearchResult* result) {
  const auto row = out.in("tr");
  out.element("td", {{"data-label", "Point"}}, "#" + std::to_string(point.number));
  {
    const auto cell = out.in("th", {{"scope", "row"}});
    out.element("code", run::point_text(point.settings));
  }
  {
    const auto cell = out.in("td", {{"class", "nowrap"}});
    if (result != nullptr && result->value) {
      out.number(*result->value, objective_text(search.objective, *result->value));
    } else {
      out.text("failed");
    }
  }
  const run::SearchResult* last = result != nullptr       ? result
                                  : point.results.empty() ? nullptr
                                                          : &point.results.back();
  out.element("td", {{"data-label", "steps"}}, last == nullptr ? "" : std::to_string(last->steps));
  out.element("td", last == nullptr ? "not run" : last->failure);
}

void points_table(Markup& out, const run::SearchReport& search) {
  if (search.points.empty()) return;
  const auto part = section(out, "points", "Points");
  points_chart(out, search);
  out.element("p", {{"class", "note"}},
              "A hollow dot is a shorter run, a full one went through all rungs, the coloured one "
              "is the best point.");
  dimension_charts(out, search);
  const Table table(out, "The best first: by the highest rung that it reached, then by its value",
                    {"Point", "Settings", "Value", "Steps", "Failure"}, "cards");
  const auto body = out.in("tbody");
  std::set<const run::SearchPointReport*> ranked;
  for (const run::SearchPointReport* point : run::ranked_points(search)) {
    ranked.insert(point);
    point_row(out, search, *point, run::last_value(*point));
  }
  for (const run::SearchPointReport& point : search.points) {
    if (!ranked.contains(&point)) point_row(out, search, point, nullptr);
  }
}

void final_part(Markup& out, const run::SearchReport& search) {
  if (!search.final) return;
  const auto part = section(out, "final", "Repeated, in turns");
  out.element("p", search_final_line(search));
  const run::SearchFinal& final = *search.final;
  if (final.values.empty() && final.baseline_values.empty()) return;
  const Table table(out, "Every run that was made for it", {"Run", "Best point", "As it is"});
  const auto body = out.in("tbody");
  for (std::size_t i = 0; i < std::max(final.values.size(), final.baseline_values.size()); ++i) {
    const auto row = out.in("tr");
    out.element("th", {{"scope", "row"}}, std::to_string(i + 1));
    for (const auto* values : {&final.values, &final.baseline_values}) {
      const auto cell = out.in("td");
      if (i < values->size()) {
        out.number((*values)[i], objective_text(search.objective, (*values)[i]));
      }
    }
  }
}

Trials trials_of(const run::SearchReport& search) {
  const std::size_t count = search.points.size();
  Trials out = {.verb = "search",
                .id = search.id,
                .headline = search_headline(search),
                .below = {std::to_string(count) + (count == 1 ? " point" : " points"),
                          std::string(search.objective.maximise ? "most " : "least ") +
                              objective_title(search.objective),
                          format_seconds(search.seconds)}};
  if (count > 0) out.places.push_back({"points", "Points"});
  if (search.final) out.places.push_back({"final", "Repeated"});
  return out;
}

}  // namespace
}  // namespace html

std::string to_html(const run::SearchReport& search, const PageContext& context) {
  const auto figures = html::Json::parse(search_to_json(search, context.best, context.plan_file),
                                         nullptr, /*allow_exceptions=*/false);
  const bool proved = search.final && search.final->confirmed;
  return html::page_of(
      html::trials_shell(html::trials_of(search), context), [&](html::Markup& out) {
        html::answer_box(out, {.headline = html::search_headline(search),
                               .lines = {html::search_summary(search),
                                         search.final ? search_final_line(search) : ""},
                               .command = base::shown_shell_line(context.best, true),
                               .command_label = proved ? "Use it" : "Best",
                               .notes = html::search_notes(search)});
        html::search_tiles(out, search);
        html::points_table(out, search);
        html::final_part(out, search);
        html::add_figures(out, figures, "The search as data, by the names of the JSON view");
      });
}

}  // namespace flatout::report
