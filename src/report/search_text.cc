#include "report/search_text.h"

#include <cmath>
#include <cstdio>
#include <numeric>
#include <vector>

#include "report/layout.h"
#include "report/quantity.h"
#include "report/search_words.h"

namespace flatout::report {
namespace {

constexpr std::size_t kMostRows = 10;
constexpr std::size_t kValueColumns = 18;
constexpr std::size_t kStepsColumns = 7;
constexpr std::size_t kNumberColumns = 5;
constexpr std::size_t kNoteColumns = 100;

std::string left(std::string text, std::size_t columns) {
  if (text.size() < columns) text.resize(columns, ' ');
  return text;
}

std::string right(const std::string& text, std::size_t columns) {
  return text.size() < columns ? std::string(columns - text.size(), ' ') + text : text;
}

}  // namespace

std::string objective_text(const run::SearchObjective& objective, double value) {
  switch (objective.kind) {
    case run::SearchObjective::Kind::kSamplesPerSecond:
      return format_number(value) + " samples/s";
    case run::SearchObjective::Kind::kDeviceBusy:
      return "busy " + format_percent(value);
    case run::SearchObjective::Kind::kLogged:
      break;
  }
  char text[32];
  std::snprintf(text, sizeof text, "%.4g", value);
  return text;
}

namespace {

std::string number_text(int number) { return "#" + std::to_string(number); }

std::string row(const run::SearchObjective& objective, const run::SearchResult& result) {
  return right(std::to_string(result.steps), kStepsColumns) + "  " +
         left(result.value ? objective_text(objective, *result.value) : "failed", kValueColumns) +
         "  ";
}

std::string row(const run::SearchReport& search, const run::SearchPointReport& point,
                const run::SearchResult& result) {
  return row(search.objective, result) + left(number_text(point.number), kNumberColumns) + " " +
         run::point_text(point.settings);
}

std::string steps_text(const std::vector<std::int64_t>& steps) {
  std::string out;
  for (std::size_t i = 0; i < steps.size(); ++i) {
    out += (i == 0 ? "" : i + 1 == steps.size() ? " and " : ", ") + std::to_string(steps[i]);
  }
  return out;
}

std::string mean_text(const run::SearchObjective& objective, const std::vector<double>& values) {
  if (values.empty()) return "?";
  const double sum = std::accumulate(values.begin(), values.end(), 0.0);
  return objective_text(objective, sum / static_cast<double>(values.size()));
}

std::string gain_text(const run::SearchFinal& final) {
  char text[128] = "";
  if (final.speedup && std::isfinite(final.speedup->ratio)) {
    std::snprintf(text, sizeof text, ", x%.2f [%.2f, %.2f]", final.speedup->ratio,
                  final.speedup->lo, final.speedup->hi);
  } else if (final.difference) {
    std::snprintf(text, sizeof text, ", difference %.3g [%.3g, %.3g]", final.difference->mean,
                  final.difference->lo, final.difference->hi);
  }
  return text;
}

}  // namespace

std::string search_final_line(const run::SearchReport& search) {
  const run::SearchFinal& final = *search.final;
  std::string line =
      (final.confirmed ? "confirmed: " : "not confirmed: ") + number_text(final.number);
  if (!final.failure.empty()) return line + " could not be repeated: " + final.failure;
  line += " against the program as it is, " + std::to_string(final.values.size()) +
          " runs each of " + std::to_string(final.steps) +
          " steps, in turns: " + mean_text(search.objective, final.values) + " against " +
          mean_text(search.objective, final.baseline_values);
  return line + gain_text(final);
}

namespace {

void add_table(const run::SearchReport& search, std::vector<std::string>& lines) {
  std::size_t runs = 0;
  for (const auto& point : search.points) runs += point.results.size();
  const auto ranked = run::ranked_points(search);
  lines.push_back(std::to_string(search.points.size()) + " points in " + std::to_string(runs) +
                  " runs, " + format_seconds(search.seconds) +
                  (ranked.empty() ? ": none measured anything" : ". The best of them:"));
  for (std::size_t i = 0; i < ranked.size() && i < kMostRows; ++i) {
    lines.push_back(row(search, *ranked[i], *run::last_value(*ranked[i])));
  }
}

}  // namespace

std::string search_plan_line(const run::SearchReport& search, int most_points) {
  const bool at_once = search.slots > 1;
  return "search: up to " + std::to_string(most_points) + " points by " +
         run::objective_name(search.objective) +
         (search.objective.maximise ? " (the greatest)" : " (the least)") + ", runs of " +
         steps_text(search.steps) + " steps, one of " + std::to_string(search.reduction) +
         " goes on" +
         (at_once ? ", " + std::to_string(search.slots) + " at a time" : std::string());
}

std::string search_baseline_line(const run::SearchReport& search) {
  return row(search.objective, search.baseline) + "the program as it is";
}

std::string search_point_line(const run::SearchReport& search,
                              const run::SearchPointReport& point) {
  const run::SearchResult& last = point.results.back();
  return to_ascii(row(search, point, last) + (last.value ? "" : ": " + last.failure));
}

std::string search_live_line(const run::SearchReport& search, const run::SearchPointReport& point,
                             int rung) {
  return "#" + std::to_string(point.number) + " for " +
         std::to_string(search.steps[static_cast<std::size_t>(rung)]) +
         " steps: " + run::point_text(point.settings);
}

std::string search_closing(const run::SearchReport& search, const std::string& command) {
  std::vector<std::string> lines;
  add_table(search, lines);
  if (search.final) lines.push_back(search_final_line(search));
  for (const auto& note : search.notes) {
    for (auto& line : wrap("note: ", note, kNoteColumns, 3)) lines.push_back(std::move(line));
  }
  if (search.out_of_time) lines.emplace_back("the budget is used up");
  if (search.interrupted) lines.emplace_back("interrupted: nothing was repeated to confirm it");
  const bool proved = search.final && search.final->confirmed;
  if (!command.empty()) lines.push_back((proved ? "use it:   " : "best:     ") + command);
  if (!command.empty() && search.final && !proved) {
    lines.emplace_back("          but it was not shown to be better than the program as it is");
  }
  lines.emplace_back("trials:   flatout ls --tree");
  std::string text;
  for (const auto& line : lines) text += (text.empty() ? "" : "\n") + to_ascii(line);
  return text;
}

}  // namespace flatout::report
