#include <nlohmann/json.hpp>

#include "report/fixes.h"
#include "report/html/assets.h"
#include "report/html/html.h"
#include "report/html/parts.h"
#include "report/json.h"
#include "report/text_parts.h"

namespace flatout::report {
namespace html {
namespace {

// Style and script are named by their hashes, so that nothing else may run
// even if an escape were wrong; nothing may be fetched at all.
std::string content_security_policy() {
  return "default-src 'none'; style-src 'sha256-" + std::string(kStyleSha256) +
         "'; script-src 'sha256-" + std::string(kScriptSha256) +
         "'; base-uri 'none'; form-action 'none'";
}

void add_head(Page& page) {
  const auto head = page.out.in("head");
  page.out.empty("meta", {{"charset", "utf-8"}});
  page.out.empty(
      "meta", {{"http-equiv", "Content-Security-Policy"}, {"content", content_security_policy()}});
  page.out.empty("meta",
                 {{"name", "viewport"}, {"content", "width=device-width, initial-scale=1"}});
  page.out.empty("meta", {{"name", "color-scheme"}, {"content", "light dark"}});
  page.out.empty(
      "meta", {{"name", "generator"}, {"content", "flatout " + page.report.run.flatout_version}});
  page.out.element("title",
                   program_name(page.report.run.command) + ": " +
                       headline(page.report.verdict.finding.empty() ? "unexplained"
                                                                    : page.report.verdict.finding) +
                       " (flatout run " + page.report.run.id + ")");
  page.out.own("<style>" + std::string(kStyle) + "</style>");
}

struct Place {
  std::string_view id, words;
};

void add_navigation(Page& page) {
  const run::Report& report = page.report;
  std::vector<Place> places = {{"verdict", "Verdict"}};
  if (!fixes_of(report).empty()) places.push_back({"changes", "Changes"});
  if (report.account) places.push_back({"run", "Run"});
  if (report.steps) places.push_back({"steps", "Steps"});
  if (!report.devices.empty()) places.push_back({"devices", "Device"});
  places.push_back({"host", "CPU and memory"});
  if (!page.charts.processes.empty()) places.push_back({"processes", "Processes"});
  if (report.loader) places.push_back({"loader", "Loader"});
  if (!report.findings.empty()) places.push_back({"findings", "Findings"});
  places.push_back({"environment", "Environment"});
  places.push_back({"figures", "Every figure"});
  const auto nav = page.out.in("nav", {{"aria-label", "Sections"}});
  for (const Place& place : places) {
    page.out.element("a", {{"href", "#" + std::string(place.id)}}, place.words);
    page.out.text(" ");
  }
}

void add_body(Page& page) {
  const auto body = page.out.in("body");
  add_stripes(page.out);
  add_header(page);
  add_navigation(page);
  {
    const auto content = page.out.in("main");
    add_verdict(page);
    add_changes(page);
    add_account(page);
    add_steps(page);
    add_devices(page);
    add_host(page);
    add_processes(page);
    add_loader(page);
    add_findings(page);
    add_unseen(page);
    add_environment(page);
    add_overhead(page);
    add_figures(page);
  }
  page.out.element(
      "p", {{"id", "readout"}, {"role", "status"}, {"aria-live", "polite"}, {"hidden", "hidden"}},
      "");
  page.out.own("<script>" + std::string(kScript) + "</script>");
}

}  // namespace
}  // namespace html

std::string to_html(const run::Report& report, const run::Charts& charts) {
  const auto figures = html::Json::parse(to_json(report), nullptr, /*allow_exceptions=*/false);
  html::Markup out;
  html::Page page{report, charts, figures, out};
  out.own("<!DOCTYPE html>\n");
  out.open("html", {{"lang", "en"}});
  html::add_head(page);
  html::add_body(page);
  return out.take() + "\n";
}

}  // namespace flatout::report
