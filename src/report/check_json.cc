#include "report/check_view.h"
#include "report/check_words.h"
#include "report/json_parts.h"
#include "report/timestamp.h"

namespace flatout::report {
namespace {

Json checked_json(const run::ComparedRun& run) {
  Json out = Json::object();
  put(out, "id", run.id);
  put(out, "name", run.name);
  put(out, "host", run.host);
  out["state"] = run::state_name(run.state);
  put(out, "started", rfc3339(run.started_wall_ns));
  put(out, "duration_s", run.duration_s);
  out["steps"] = run.steps;
  out["steady_steps"] = run.steady_steps;
  return out;
}

Json line_json(const run::CheckLine& line) {
  Json out = Json::object();
  out["id"] = line.id;
  out["outcome"] = outcome_name(line.outcome);
  out["failed"] = line.failed;
  if (line.optional) out["optional"] = true;
  put(out, "unit", line.unit);
  put(out, "value", line.value);
  put(out, "min", line.least);
  put(out, "max", line.most);
  put(out, "worse_by", line.worse_by);
  if (line.change) {
    Json change = Json::object();
    put(change, "before", line.change->before);
    put(change, "after", line.change->after);
    change["relative"] = line.change->relative;
    put(change, "worse", line.change->change);
    change["interval"] = interval_json(line.change->lo, line.change->hi);
    out["change"] = std::move(change);
  }
  put(out, "text", line.text);
  return out;
}

}  // namespace

std::string check_json(const run::CheckReport& report) {
  Json out = Json::object();
  out["schema"] = "flatout.check/1";
  out["passed"] = report.passed;
  out["budget"] = report.budget;
  out["run"] = checked_json(report.run);
  if (report.baseline) {
    out["baseline"] = checked_json(*report.baseline);
    out["interval_method"] =
        "95 %; moving-block bootstrap of the steady steps of both runs, widened for the number of "
        "blocks; it covers variation within the runs, not between runs";
    if (report.block_steps > 0) out["block_steps"] = report.block_steps;
  }
  out["lines"] = list(report.lines, line_json);
  if (!report.cautions.empty()) {
    out["cautions"] = list(report.cautions, [](const run::Caution& caution) {
      return Json{{"id", caution.id}, {"text", caution.text}};
    });
  }
  return document(out);
}

}  // namespace flatout::report
