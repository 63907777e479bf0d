#include "report/accuracy_view.h"

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

std::string line_of(const run::AccuracyRow& row) {
  char text[160];
  std::snprintf(text, sizeof text, "%-34s%11zu%9s%9s   %s\n",
                row.knob.empty() ? "all" : shorten(to_ascii(row.knob), 33).c_str(), row.predictions,
                error_percent(row.median_error).c_str(), error_percent(row.worst_error).c_str(),
                within_text(row).c_str());
  return text;
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

std::string accuracy_to_text(const run::Accuracy& accuracy) {
  std::string text;
  if (accuracy.all.predictions == 0) {
    text = "no stored tune holds a prediction that was measured; flatout tune -- CMD makes some\n";
  } else {
    const auto& all = accuracy.all;
    text = "Predicted against measured gains: " + std::to_string(all.predictions) + " in " +
           std::to_string(accuracy.tunes) + (accuracy.tunes == 1 ? " tune" : " tunes") +
           dates(accuracy) + "\noff by " + error_percent(all.median_error) + " (median); ";
    text += all.bias == 0  ? "neither too high nor too low\n\n"
            : all.bias > 0 ? error_percent(all.bias) + " too high (median)\n\n"
                           : error_percent(all.bias) + " too low (median)\n\n";
    text +=
        "knob                              predictions   median    worst   measured inside "
        "the predicted interval\n";
    for (const auto& row : accuracy.knobs) text += line_of(row);
    if (accuracy.knobs.size() > 1) text += line_of(all);
  }
  for (const auto& problem : accuracy.problems) text += "left out: " + to_ascii(problem) + "\n";
  return text;
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
