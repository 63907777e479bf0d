// Every finding with the evidence it stands on and the advice it gives.
#include <cmath>

#include "report/html/parts.h"
#include "report/html/scale.h"
#include "report/quantity.h"
#include "report/text_parts.h"

namespace flatout::report::html {
namespace {

const char* severity_words(run::Severity severity) {
  switch (severity) {
    case run::Severity::kInfo:
      return "info";
    case run::Severity::kWarn:
      return "warning";
    case run::Severity::kCritical:
      break;
  }
  return "critical";
}

void number_cell(Markup& out, const std::optional<double>& value, std::string_view unit) {
  const auto cell = out.in("td", {{"class", "num"}});
  if (value && std::isfinite(*value)) out.number(*value, quantity(*value, unit));
}

void evidence_table(Page& page, const run::Finding& finding) {
  if (finding.evidence.empty()) return;
  const Table table(page.out, "Evidence for " + finding.id,
                    {"Measured", "Value", "Threshold", "From", "To"}, "evidence");
  const auto body = page.out.in("tbody");
  for (const run::Evidence& evidence : finding.evidence) {
    const auto row = page.out.in("tr");
    page.out.element("th", {{"scope", "row"}}, evidence.metric);
    number_cell(page.out, evidence.value, evidence.unit);
    number_cell(page.out, evidence.threshold, evidence.unit);
    number_cell(page.out, evidence.start_s, "s");
    number_cell(page.out, evidence.end_s, "s");
  }
}

void code_entry(Markup& out, std::string_view term, const std::string& text) {
  if (text.empty()) return;
  const auto group = out.in("div");
  out.element("dt", term);
  const auto description = out.in("dd");
  out.element("code", text);
}

void advice_part(Page& page, const run::Advice& advice) {
  const auto list = page.out.in("dl", {{"class", "advice"}});
  code_entry(page.out, "knob", advice.knob);
  if (!advice.from.empty() || !advice.to.empty()) {
    code_entry(page.out, "from \xe2\x86\x92 to",
               (advice.from.empty() ? "?" : advice.from) + " \xe2\x86\x92 " +
                   (advice.to.empty() ? "by hand" : advice.to));
  }
  if (const std::string how = how_text(advice); !how.empty()) {
    entry(page.out, "by hand", relative_paths(how, page.report.run.cwd));
  }
  code_entry(page.out, "at", relative_paths(advice.at, page.report.run.cwd));
  const std::string gain = advice.predicted ? speedup_text(*advice.predicted) : "";
  if (!gain.empty()) entry(page.out, "predicted", advice.predicted->ratio, gain);
  entry(page.out, "risk",
        std::string(risk_text(advice.risk)) +
            (advice.other_draws ? ", different random stream" : ""));
}

}  // namespace

void add_findings(Page& page) {
  if (page.report.findings.empty()) return;
  const auto part = section(page.out, "findings", "Findings");
  for (const run::Finding& finding : page.report.findings) {
    const auto article = page.out.in("article");
    const std::string cause(run::cause_name(finding.cause));
    page.out.element("h3", headline(finding.id) + (cause.empty() ? "" : " (" + cause + ")"));
    {
      const auto line = page.out.in("p", {{"class", "lead"}});
      const char* severity = severity_words(finding.severity);
      page.out.element("span", {{"class", "badge s-" + std::string(severity)}}, severity);
      page.out.text(" ");
      page.out.number(finding.share, format_percent(finding.share));
      page.out.text(std::string(finding.of_run ? " of the run" : " of the step") + "; confidence " +
                    std::string(confidence_word(finding.confidence)) + " (");
      page.out.number(finding.confidence, format_percent(finding.confidence));
      page.out.text(")");
    }
    if (!finding.summary.empty()) {
      page.out.element("p", relative_paths(finding.summary, page.report.run.cwd));
    }
    evidence_table(page, finding);
    if (page.report.failure) continue;  // first of all it has to run
    for (const run::Advice& advice : finding.advice) advice_part(page, advice);
  }
}

}  // namespace flatout::report::html
