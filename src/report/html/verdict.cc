// What a reader wants first: what was run, why it is slow, what to do.
#include "base/joined.h"
#include "report/account_parts.h"
#include "report/chips.h"
#include "report/fixes.h"
#include "report/html/parts.h"
#include "report/html/scale.h"
#include "report/quantity.h"
#include "report/text_parts.h"

namespace flatout::report::html {
namespace {

std::string steps_words(const run::Report& report) {
  if (!report.steps || report.steps->count <= 0) return "no steps";
  std::string text =
      std::to_string(report.steps->count) + (report.steps->count == 1 ? " step" : " steps");
  const std::int64_t warm_up = report.steps->count - report.steps->steady_count;
  if (report.steps->steady_count > 0 && warm_up > 0) {
    text += " (" + std::to_string(warm_up) + " warm-up)";
  }
  return text;
}

void add_tiles(Page& page) {
  const std::vector<Chip> chips = chips_of(page.report);
  if (chips.empty()) return;
  const auto list = page.out.in("dl", {{"class", "tiles"}});
  for (const Chip& chip : chips) tile(page.out, chip.name, chip.value, chip.shown, chip.more);
}

}  // namespace

std::vector<std::string> header_words(const run::Report& report, const Json& figures) {
  const int cpus = report.host.cpus > 0 ? report.host.cpus : report.run.cpus;
  std::vector<std::string> words = {"run " + report.run.id, report.run.name, device_name(report)};
  if (cpus > 0) words.push_back(std::to_string(cpus) + (cpus == 1 ? " CPU" : " CPUs"));
  words.push_back(steps_words(report));
  words.push_back(format_seconds(report.duration_s));
  words.push_back(basis_text(report));
  if (const auto& run = figures["run"]; run.contains("started")) {
    words.push_back(run["started"].get<std::string>());
  }
  return words;
}

void add_verdict(Page& page) {
  const run::Report& report = page.report;
  const run::Verdict& verdict = report.verdict;
  page.out.line();
  const auto part = page.out.in("section", {{"id", "verdict"}, {"aria-labelledby", "verdict-h"}});
  {
    const auto box = page.out.in("div", {{"class", "verdict"}});
    page.out.element("h2", {{"id", "verdict-h"}},
                     headline(verdict.finding.empty() ? "unexplained" : verdict.finding));
    page.out.element("p", {{"class", "summary"}}, relative_paths(verdict.summary, report.run.cwd));
    if (report.steps && !report.failure) {
      const auto line = page.out.in("p");
      page.out.text("Confidence: " + std::string(confidence_word(verdict.confidence)) + " (");
      page.out.number(verdict.confidence, format_percent(verdict.confidence));
      page.out.text(").");
    }
    if (!verdict.ruled_out.empty()) {
      page.out.element("p", "Ruled out: " + base::joined(verdict.ruled_out, ", "));
    }
  }
  std::string state = (report.failure ? "" : state_text(report)) + survivors_text(report);
  if (state.starts_with("; ")) state.erase(0, 2);
  if (!state.empty()) page.out.element("p", {{"class", "note"}}, "State: " + state);
  if (!report.steps) {
    if (!report.run.hooks_off.empty()) {
      page.out.element("p", {{"class", "note"}},
                       "Why: no hooks in the program: " + report.run.hooks_off);
    }
    page.out.element("p", {{"class", "note"}}, "Next: " + next_step(report));
  }
  if (const std::string caution = caution_text(report); !caution.empty()) {
    page.out.element("p", {{"class", "note"}}, "Warning: " + caution);
  }
  if (report.failure && !report.failure->at.empty()) {
    page.out.element("p", {{"class", "note"}},
                     "Line: " + relative_paths(report.failure->at, report.run.cwd));
  }
  for (const std::string& note : report.notes) {
    if (note == verdict.caution) continue;
    page.out.element("p", {{"class", "note"}}, "Note: " + relative_paths(note, report.run.cwd));
  }
  add_tiles(page);
}

void add_changes(Page& page) {
  const std::vector<Fix> changes = fixes_of(page.report);
  if (changes.empty()) return;
  const auto part = section(page.out, "changes", "What to change");
  GainAxis axis;
  for (const Fix& change : changes) axis.include(change.advice->predicted);
  const Table table(page.out,
                    "Predicted speed over present speed, with a 95 % interval, each change by "
                    "itself unless it says otherwise",
                    {"Fix", "Change", "Where", "Predicted", "", "Risk"}, "changes cards");
  const auto body = page.out.in("tbody");
  int number = 0;
  for (const Fix& change : changes) {
    const run::Advice& advice = *change.advice;
    const auto row = page.out.in("tr");
    page.out.element("td", {{"data-label", "Fix"}}, std::to_string(++number));
    {
      const auto cell = page.out.in("td");
      const std::string words = change_text(advice);
      const std::string text = relative_paths(words, page.report.run.cwd);
      if (advice.argument.empty() && words == advice.how) {
        page.out.text(text);  // a sentence, no code
      } else {
        page.out.element("code", text);
      }
    }
    {
      const auto cell = page.out.in("td");
      page.out.element("code", relative_paths(advice.at, page.report.run.cwd));
    }
    const std::string gain = gain_text(advice);
    page.out.element("td", {{"class", "nowrap"}, {"data-label", "predicted"}},
                     gain.empty() ? "not predicted" : gain);
    {
      const auto cell = page.out.in("td", {{"class", "wide"}});
      if (advice.predicted) axis.draw(page.out, "", *advice.predicted);
    }
    page.out.element("td", {{"data-label", "risk:"}},
                     std::string(risk_text(advice.risk)) +
                         (advice.other_draws ? ", different random stream" : ""));
  }
}

}  // namespace flatout::report::html
