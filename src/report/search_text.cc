#include "report/search_text.h"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <iterator>
#include <numeric>
#include <vector>

#include "base/shell_word.h"
#include "report/layout.h"
#include "report/quantity.h"
#include "report/search_words.h"
#include "report/text_parts.h"
#include "run/speedup_text.h"

namespace flatout::report {
namespace {

constexpr std::size_t kMostRows = 10;
constexpr std::size_t kValueColumns = 18;
constexpr std::size_t kStepsColumns = 7;
constexpr std::size_t kNumberColumns = 5;
constexpr std::size_t kLeastSettings = 30;  // columns for a point's settings beside its value

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
  return padded_left(std::to_string(result.steps), kStepsColumns) + "  " +
         padded(result.value ? objective_text(objective, *result.value) : "failed", kValueColumns) +
         "  ";
}

// Its settings wrap beside its value or, on a narrow page, below it.
std::vector<std::string> row(const run::SearchReport& search, const run::SearchPointReport& point,
                             const run::SearchResult& result, const std::string& more,
                             const Style& style) {
  const std::string lead =
      row(search.objective, result) + padded(number_text(point.number), kNumberColumns) + " ";
  const std::string settings = cleaned(run::point_text(point.settings) + more, style);
  if (width_of(lead) + kLeastSettings <= style.columns) {
    return wrap(lead, settings, style.columns);
  }
  std::vector<std::string> lines = {lead};
  std::ranges::move(wrap(std::string(kStepsColumns + 2, ' '), settings, style.columns),
                    std::back_inserter(lines));
  return lines;
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

std::string search_gain_text(const run::SearchFinal& final) {
  if (final.speedup && std::isfinite(final.speedup->ratio)) {
    return ", " + run::speedup_text(*final.speedup, kMeasuredDecimals);
  }
  if (!final.difference) return "";
  char text[128];
  std::snprintf(text, sizeof text, ", difference %.3g [%.3g, %.3g]", final.difference->mean,
                final.difference->lo, final.difference->hi);
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
  return line + search_gain_text(final);
}

namespace {

void add_table(const run::SearchReport& search, Lines& out) {
  std::size_t runs = 0;
  for (const auto& point : search.points) runs += point.results.size();
  const auto ranked = run::ranked_points(search);
  out.say("", std::to_string(search.points.size()) + " points in " + std::to_string(runs) +
                  " runs, " + format_seconds(search.seconds) +
                  (ranked.empty() ? ": none measured anything" : ". The best of them:"));
  for (std::size_t i = 0; i < ranked.size() && i < kMostRows; ++i) {
    out.add(row(search, *ranked[i], *run::last_value(*ranked[i]), "", out.style()));
  }
}

}  // namespace

std::string search_plan_line(const run::SearchReport& search, int most_points, const Style& style) {
  const bool at_once = search.slots > 1;
  Lines out(style);
  out.say("search: ",
          "up to " + std::to_string(most_points) + " points by " +
              run::objective_name(search.objective) +
              (search.objective.maximise ? " (the greatest)" : " (the least)") + ", runs of " +
              steps_text(search.steps) + " steps, one of " + std::to_string(search.reduction) +
              " goes on" +
              (at_once ? ", " + std::to_string(search.slots) + " at a time" : std::string()));
  return out.text();
}

std::string search_baseline_line(const run::SearchReport& search, const Style& style) {
  Lines out(style);
  out.add({row(search.objective, search.baseline) + "the program as it is"});
  return out.text();
}

std::string search_point_line(const run::SearchReport& search, const run::SearchPointReport& point,
                              const Style& style) {
  const run::SearchResult& last = point.results.back();
  Lines out(style);
  out.add(row(search, point, last, last.value ? "" : ": " + last.failure, style));
  return out.text();
}

std::string search_live_line(const run::SearchReport& search, const run::SearchPointReport& point,
                             int rung) {
  return "#" + std::to_string(point.number) + " for " +
         std::to_string(search.steps[static_cast<std::size_t>(rung)]) +
         " steps: " + run::point_text(point.settings);
}

std::string search_closing(const run::SearchReport& search, const std::string& command,
                           const Style& style, const std::string& home) {
  Lines out(style);
  add_table(search, out);
  if (search.final) out.say("", search_final_line(search));
  for (const auto& note : search.notes) out.say("note: ", note);
  if (search.out_of_time) out.say("", "the budget is used up");
  if (search.interrupted) out.say("", "interrupted: nothing was repeated to confirm it");
  const bool proved = search.final && search.final->confirmed;
  if (!command.empty()) {
    // It is copied: it stands in one line, however long.
    out.add({toned(Tone::kHeading, proved ? "use it:   " : "best:     ") +
             base::shown_shell_line(command, style.unicode)});
  }
  if (!command.empty() && search.final && !proved) {
    out.say("          ", "but it was not shown to be better than the program as it is");
  }
  out.add(command_lines(toned(Tone::kHeading, "trials:") + "   ",
                        with_home({"flatout", "ls", "--tree"}, home), style));
  return out.text();
}

}  // namespace flatout::report
