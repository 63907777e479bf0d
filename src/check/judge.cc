#include "check/judge.h"

#include <algorithm>
#include <cmath>
#include <utility>

namespace flatout::check {
namespace {

using run::CheckLine;
using run::CheckOutcome;

void decide(CheckLine& line, CheckOutcome outcome, std::string text) {
  line.outcome = outcome;
  line.failed =
      outcome == CheckOutcome::kNotMeasured ? !line.optional : outcome != CheckOutcome::kWithin;
  line.text = std::move(text);
}

CheckLine judged(const Limit& limit, const Subject& subject) {
  const FigureFacts* facts = figure_facts(limit.figure);
  CheckLine line;
  line.id = limit.id;
  line.unit = facts == nullptr ? "number" : facts->unit;
  line.optional = limit.optional;
  line.least = limit.least;
  line.most = limit.most;
  line.value = figure_of(limit.figure, subject);
  if (line.value && !std::isfinite(*line.value)) line.value.reset();
  if (!line.value) {
    const std::string_view why =
        facts == nullptr ? "no finite value of this name was logged" : facts->not_there;
    decide(line, CheckOutcome::kNotMeasured, std::string(why));
  } else if (limit.most && *line.value > *limit.most) {
    decide(line, CheckOutcome::kOver, "above what is allowed");
  } else if (limit.least && *line.value < *limit.least) {
    decide(line, CheckOutcome::kOver, "below what is wanted");
  } else {
    decide(line, CheckOutcome::kWithin, "");
  }
  return line;
}

CheckLine judged_state(const Budget& budget, const run::Report& report) {
  CheckLine line;
  line.id = "run.states";
  const std::string state(run::state_name(report.state));
  const bool allowed = std::ranges::find(budget.states, state) != budget.states.end();
  std::string wanted;
  for (const std::string& name : budget.states) wanted += (wanted.empty() ? "" : " or ") + name;
  decide(line, allowed ? CheckOutcome::kWithin : CheckOutcome::kOver,
         allowed ? "it is " + state : "it is " + state + ", and must be " + wanted);
  return line;
}

CheckLine judged_finding(const std::string& id, const run::Report& report) {
  CheckLine line;
  line.id = "run.no_findings." + id;
  const auto off = std::ranges::find(report.rules_off, id);
  if (off != report.rules_off.end()) {
    decide(line, CheckOutcome::kNotMeasured, "its rule is off; leave it out of --rules-off");
    return line;
  }
  const auto raised = std::ranges::find_if(report.findings, [&](const run::Finding& finding) {
    return finding.id == id && finding.severity != run::Severity::kInfo;
  });
  if (raised == report.findings.end()) {
    const bool blind = !report.steps || report.steps->steady_count == 0;
    if (blind) {
      decide(line, CheckOutcome::kNotMeasured,
             "no steady steps were seen, so nothing can be found in them");
    } else {
      decide(line, CheckOutcome::kWithin, "it was not raised");
    }
    return line;
  }
  line.unit = "ratio";
  line.value = raised->share;
  decide(line, CheckOutcome::kOver,
         raised->summary.ends_with('.') ? raised->summary.substr(0, raised->summary.size() - 1)
                                        : raised->summary);
  return line;
}

CheckLine judged(const BaselineLimit& limit, const std::optional<Against>& against) {
  CheckLine line;
  line.id = limit.id;
  line.optional = limit.optional;
  line.worse_by = limit.worse_by;
  if (const FigureFacts* facts = figure_facts(limit.figure)) line.unit = facts->unit;
  if (!against) {
    decide(line, CheckOutcome::kNotMeasured, "no baseline was given; name one by --baseline RUN");
    return line;
  }
  const auto found = std::ranges::find(against->worsenings, limit.figure, &run::Worsening::figure);
  if (found == against->worsenings.end()) {
    decide(line, CheckOutcome::kNotMeasured,
           limit.figure == "step.p99_ms"
               ? "both runs need 500 steady steps for an interval of the 99th percentile"
               : "one of the runs has too few steady steps (20) for an interval, or lacks it");
    return line;
  }
  line.change = *found;
  line.value = found->after;
  if (found->lo > limit.worse_by) {
    decide(line, CheckOutcome::kOver, "proved worse than is allowed");
  } else if (found->hi <= limit.worse_by) {
    decide(line, CheckOutcome::kWithin, "proved within what is allowed");
  } else if (limit.strict) {
    decide(line, CheckOutcome::kNotShown, "not proved to be within, as strict asks for");
  } else {
    decide(line, CheckOutcome::kWithin, "not proved worse than is allowed");
  }
  return line;
}

CheckLine judged_caution(const std::string& id, const std::optional<Against>& against) {
  CheckLine line;
  line.id = "baseline.refuse." + id;
  if (!against) {
    decide(line, CheckOutcome::kNotMeasured, "no baseline was given; name one by --baseline RUN");
    return line;
  }
  const auto found = std::ranges::find(against->cautions, id, &run::Caution::id);
  if (found == against->cautions.end()) {
    decide(line, CheckOutcome::kWithin, "it is not so");
  } else {
    decide(line, CheckOutcome::kOver, found->text);
  }
  return line;
}

}  // namespace

std::set<std::string> figures_of(const Budget& budget) {
  std::set<std::string> out;
  for (const BaselineLimit& limit : budget.baseline) out.insert(limit.figure);
  return out;
}

run::CheckReport judge(const Budget& budget, const Subject& subject,
                       const std::optional<Against>& against) {
  run::CheckReport out;
  for (const Limit& limit : budget.limits) out.lines.push_back(judged(limit, subject));
  if (!budget.states.empty()) out.lines.push_back(judged_state(budget, *subject.report));
  for (const std::string& id : budget.no_findings) {
    out.lines.push_back(judged_finding(id, *subject.report));
  }
  for (const BaselineLimit& limit : budget.baseline) out.lines.push_back(judged(limit, against));
  for (const std::string& id : budget.refuse) out.lines.push_back(judged_caution(id, against));
  if (against) out.cautions = against->cautions;
  out.passed = std::ranges::none_of(out.lines, &CheckLine::failed);
  return out;
}

}  // namespace flatout::check
