// The page of one run.
#include <nlohmann/json.hpp>

#include "report/account_parts.h"
#include "report/fixes.h"
#include "report/html/html.h"
#include "report/html/parts.h"
#include "report/html/shell.h"
#include "report/json.h"
#include "report/text_parts.h"

namespace flatout::report {
namespace html {
namespace {

std::vector<Place> places_of(const run::Report& report, const run::Charts& charts) {
  std::vector<Place> places = {{"verdict", "Verdict"}};
  if (!fixes_of(report).empty()) places.push_back({"changes", "Changes"});
  if (has_account(report)) places.push_back({"run", "Run"});
  if (report.steps) places.push_back({"steps", "Steps"});
  if (report.ranks) places.push_back({"ranks", "Ranks"});
  if (!report.devices.empty()) places.push_back({"devices", "Device"});
  places.push_back({"host", "CPU and memory"});
  if (!charts.processes.empty()) places.push_back({"processes", "Processes"});
  if (report.loader) places.push_back({"loader", "Loader"});
  if (!report.tracked.empty()) places.push_back({"tracked", "Tracked"});
  if (!report.findings.empty()) places.push_back({"findings", "Findings"});
  places.push_back({"environment", "Environment"});
  places.push_back({"figures", "Every figure"});
  return places;
}

Shell shell_of(const run::Report& report, const run::Charts& charts, const Json& figures) {
  const std::string program = program_name(report.run.command);
  return {
      .title = program + ": " +
               headline(report.verdict.finding.empty() ? "unexplained" : report.verdict.finding) +
               " (flatout run " + report.run.id + ")",
      .version = report.run.flatout_version,
      .brand = "flatout report",
      .heading = program,
      .below = header_words(report, figures),
      .places = places_of(report, charts)};
}

void add_sections(Page& page) {
  add_verdict(page);
  add_changes(page);
  add_account(page);
  add_steps(page);
  add_ranks(page);
  add_devices(page);
  add_host(page);
  add_processes(page);
  add_loader(page);
  add_tracked(page);
  add_findings(page);
  add_unseen(page);
  add_environment(page);
  add_overhead(page);
  add_figures(page.out, page.figures, "The report as data, by the names of the JSON view");
}

}  // namespace
}  // namespace html

std::string to_html(const run::Report& report, const run::Charts& charts) {
  const auto figures = html::Json::parse(to_json(report), nullptr, /*allow_exceptions=*/false);
  return html::page_of(html::shell_of(report, charts, figures), [&](html::Markup& out) {
    html::Page page{report, charts, figures, out};
    html::add_sections(page);
  });
}

}  // namespace flatout::report
