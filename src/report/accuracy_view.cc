#include "report/accuracy_view.h"

#include <algorithm>
#include <cmath>
#include <cstdio>

#include "report/json_parts.h"
#include "report/layout.h"
#include "report/timestamp.h"

namespace flatout::report {
namespace {

std::string error_percent(double share) {
  char text[32];
  const double shown = std::abs(share) * 100;
  std::snprintf(text, sizeof text, shown < 10 ? "%.1f %%" : "%.0f %%", shown);
  return text;
}

std::string within_text(const run::AccuracyRow& row) {
  if (row.with_interval == 0) return "-";
  return std::to_string(row.within) + " of " + std::to_string(row.with_interval);
}

// "from 2026-11-20 to 2026-11-21"
std::string dates(const run::Accuracy& accuracy) {
  if (!accuracy.oldest || !accuracy.newest) return "";
  const std::string first = rfc3339(*accuracy.oldest).value_or("").substr(0, 10);
  const std::string last = rfc3339(*accuracy.newest).value_or("").substr(0, 10);
  if (first == last) return ", of " + first;
  return ", from " + first + " to " + last;
}

struct Row {
  std::string name, predictions, median, worst, within;
};

// Names and counts have what columns the page leaves them.
std::string line_of(const Row& row, const Style& style) {
  constexpr std::size_t kWithin = 8;
  const std::size_t columns = std::max(style.columns, kFewestColumns);
  const std::size_t counts = columns < 74 ? 5 : 11;
  const std::size_t names = std::min<std::size_t>(34, columns - counts - 9 - 9 - 3 - kWithin);
  return padded(shorten(cleaned(row.name, style), names - 1), names) +
         padded_left(row.predictions, counts) + padded_left(row.median, 9) +
         padded_left(row.worst, 9) + "   " + row.within;
}

std::string line_of(const run::AccuracyRow& row, const Style& style) {
  return line_of(
      Row{row.knob.empty() ? "all" : row.knob, std::to_string(row.predictions),
          error_percent(row.median_error), error_percent(row.worst_error), within_text(row)},
      style);
}

void add_table(const run::Accuracy& accuracy, Lines& out) {
  const Style& style = out.style();
  constexpr const char* kInside = "measured inside the predicted interval";
  const bool wide = style.columns >= 104;
  out.add({line_of(Row{"knob", style.columns < 74 ? "n" : "predictions", "median", "worst",
                       wide ? kInside : "inside"},
                   style)});
  for (const auto& row : accuracy.knobs) out.add({line_of(row, style)});
  if (accuracy.knobs.size() > 1) out.add({line_of(accuracy.all, style)});
  if (!wide) out.say("inside: ", kInside);
}

Json row_json(const run::AccuracyRow& row) {
  Json out = Json::object();
  put(out, "knob", row.knob);
  out["predictions"] = row.predictions;
  if (row.predictions > 0) {
    put(out, "median_error", row.median_error);
    put(out, "worst_error", row.worst_error);
    put(out, "bias", row.bias);
  }
  out["within_interval"] = row.within;
  out["with_interval"] = row.with_interval;
  return out;
}

}  // namespace

std::string accuracy_to_text(const run::Accuracy& accuracy, const Style& style) {
  Lines out(style);
  const auto& all = accuracy.all;
  if (all.predictions == 0) {
    out.say("",
            "no stored tune holds a prediction that was measured; flatout tune -- CMD makes some");
  } else {
    out.say("", "Predicted against measured gains: " + std::to_string(all.predictions) + " in " +
                    std::to_string(accuracy.tunes) + (accuracy.tunes == 1 ? " tune" : " tunes") +
                    dates(accuracy));
    const std::string side = all.bias == 0  ? "neither too high nor too low"
                             : all.bias > 0 ? error_percent(all.bias) + " too high (median)"
                                            : error_percent(all.bias) + " too low (median)";
    out.say("", "off by " + error_percent(all.median_error) + " (median); " + side);
    out.add({""});
    add_table(accuracy, out);
  }
  for (const auto& problem : accuracy.problems) out.say("left out: ", problem);
  return out.text() + "\n";
}

std::string accuracy_to_json(const run::Accuracy& accuracy) {
  Json out = Json::object();
  out["schema"] = "flatout.accuracy/1";
  out["tunes"] = accuracy.tunes;
  if (accuracy.oldest) put(out, "oldest", rfc3339(*accuracy.oldest));
  if (accuracy.newest) put(out, "newest", rfc3339(*accuracy.newest));
  out["all"] = row_json(accuracy.all);
  out["knobs"] = list(accuracy.knobs, row_json);
  put_filled(out, "problems", accuracy.problems);
  return document(out);
}

}  // namespace flatout::report
