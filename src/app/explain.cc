#include "app/explain.h"

#include <exception>
#include <string>

#include "advise/advise.h"
#include "analyse/analyse.h"
#include "analyse/charts/charts.h"
#include "analyse/tracked/tracked_report.h"
#include "analyse/tracked/tracked_runs.h"
#include "analyse/whatif.h"
#include "analyse/whatif_input.h"

namespace flatout::app {
namespace {

run::Report without_analysis(const run::Timeline& timeline, const std::string& problem) {
  run::Report report;
  report.run = timeline.info;
  report.state = timeline.state;
  report.end = timeline.end;
  report.duration_s = static_cast<double>(timeline.last_ns - timeline.info.started_ns) / 1e9;
  report.verdict.finding = "unexplained";
  report.verdict.summary = "the analysis of this run failed.";
  report.overhead.events = timeline.counts.events;
  report.overhead.dropped = timeline.counts.dropped;
  report.notes = run::all_notes(timeline);
  report.notes.push_back("the analysis failed: " + problem);
  return report;
}

// A lost run has no end of its own; who outlived it is known all the same.
void add_survivors(const run::Timeline& timeline, run::Report& report) {
  if (report.end || timeline.survivors.empty()) return;
  report.end = run::RunEnd{};
  report.end->t_ns = timeline.last_ns;
  report.end->survivors = timeline.survivors;
}

// First among the notes: who reads the verdict must know what was not asked.
void name_rules_off(const std::set<std::string>& rules_off, run::Report& report) {
  if (rules_off.empty()) return;
  report.rules_off.assign(rules_off.begin(), rules_off.end());
  std::string line = "switched off with --rules-off:";
  for (const std::string& id : rules_off) line += (line.back() == ':' ? " " : ", ") + id;
  report.notes.insert(report.notes.begin(), std::move(line));
}

}  // namespace

run::Report explain(const run::Timeline& timeline, const analyse::Analysis& analysis,
                    const std::set<std::string>& rules_off) {
  run::Report report = analyse::report_of(timeline, analysis, {.rules_off = rules_off});
  if (!report.host.processes && !timeline.processes.empty()) {
    report.host.processes = static_cast<int>(timeline.processes.size());
  }
  add_survivors(timeline, report);
  report.tracked = analyse::tracked_reports(analyse::tracked_runs(timeline));
  name_rules_off(rules_off, report);
  advise::advise(report, analyse::WhatIf(analyse::what_if_input(analysis)));
  return report;
}

run::Report explain(const run::Timeline& timeline, const std::set<std::string>& rules_off,
                    const std::function<void(analyse::Analysis& analysis)>& add) {
  try {
    analyse::Analysis analysis = analyse::measure(timeline);
    if (add) add(analysis);
    return explain(timeline, analysis, rules_off);
  } catch (const std::exception& problem) {
    return without_analysis(timeline, problem.what());
  }
}

ExplainedWithCharts explain_with_charts(const run::Timeline& timeline,
                                        const std::set<std::string>& rules_off,
                                        const LookCloser& look) {
  try {
    analyse::Analysis analysis = analyse::measure(timeline);
    if (look) look(analysis, explain(timeline, analysis, rules_off));
    return {explain(timeline, analysis, rules_off), analyse::charts(timeline, analysis)};
  } catch (const std::exception& problem) {
    return {without_analysis(timeline, problem.what()), {}};
  }
}

}  // namespace flatout::app
