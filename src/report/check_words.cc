#include "report/check_words.h"

#include <algorithm>
#include <cmath>
#include <cstdio>

#include "report/compare_words.h"
#include "report/quantity.h"

namespace flatout::report {
namespace {

std::string quantity(const run::CheckLine& line, double value) {
  if (line.unit == "number") {  // that the program logged: as exact as it is
    char text[32];
    std::snprintf(text, sizeof text, "%.6g", value);
    return text;
  }
  return value_text({line.id, line.unit, {}, {}}, value);
}

// Of the change against a baseline: percent of what was before, or points of a share.
std::string change_number(double change) {
  char text[32];
  const double percent = change * 100;
  std::snprintf(text, sizeof text, std::abs(percent) < 99.5 ? "%+.1f" : "%+.0f", percent);
  return text;
}

}  // namespace

std::string_view outcome_word(const run::CheckLine& line) {
  switch (line.outcome) {
    case run::CheckOutcome::kOver:
      return "OVER";
    case run::CheckOutcome::kNotShown:
      return "NOT SHOWN";
    case run::CheckOutcome::kNotMeasured:
      return line.failed ? "ABSENT" : "skipped";
    case run::CheckOutcome::kWithin:
      break;
  }
  return "ok";
}

std::string_view outcome_name(run::CheckOutcome outcome) {
  switch (outcome) {
    case run::CheckOutcome::kOver:
      return "over";
    case run::CheckOutcome::kNotShown:
      return "not_shown";
    case run::CheckOutcome::kNotMeasured:
      return "not_measured";
    case run::CheckOutcome::kWithin:
      break;
  }
  return "within";
}

std::string_view line_name(const run::CheckLine& line) {
  std::string_view name = line.id;
  for (const std::string_view section :
       {"limits.", "values.", "baseline.refuse.", "baseline.", "run.no_findings."}) {
    if (name.starts_with(section)) return name.substr(section.size());
  }
  return name;
}

std::string found_text(const run::CheckLine& line) {
  if (line.change) {
    const run::Worsening& change = *line.change;
    return quantity(line, change.before) + " -> " + quantity(line, change.after) + ", " +
           change_number(change.change) + " " + (change.relative ? "%" : "points") + " [" +
           change_number(change.lo) + ", " + change_number(change.hi) + "]";
  }
  return line.value ? quantity(line, *line.value) : "";
}

std::string allowed_text(const run::CheckLine& line) {
  if (line.worse_by) {
    const bool points = line.unit == "ratio";
    return "at most " + format_number(*line.worse_by * 100) + (points ? " points" : " %") +
           " worse";
  }
  std::string out;
  if (line.least) out = "at least " + quantity(line, *line.least);
  if (line.most) out += (out.empty() ? "at most " : ", at most ") + quantity(line, *line.most);
  return out;
}

std::string verdict_text(const run::CheckReport& report) {
  const auto failed = std::ranges::count_if(report.lines, &run::CheckLine::failed);
  const std::string all = std::to_string(report.lines.size());
  if (failed == 0)
    return report.lines.size() == 1 ? "the one line is kept" : "all " + all + " lines are kept";
  return std::to_string(failed) + " of " + all +
         (failed == 1 ? " lines is not kept" : " lines are not kept");
}

std::string checked_run(const run::ComparedRun& run) {
  return run.name.empty() ? run.id : run.id + " (" + run.name + ")";
}

}  // namespace flatout::report
