// What a reader wants first: what was run, why it is slow, what to do.
#include <algorithm>
#include <cmath>

#include "report/account_parts.h"
#include "report/chips.h"
#include "report/fixes.h"
#include "report/html/parts.h"
#include "report/html/scale.h"
#include "report/quantity.h"
#include "report/text_parts.h"

namespace flatout::report::html {
namespace {

std::string joined(const std::vector<std::string>& words, std::string_view separator) {
  std::string out;
  for (const std::string& word : words) {
    if (!out.empty() && !word.empty()) out += separator;
    out += word;
  }
  return out;
}

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

std::string device_words(const run::Report& report) {
  for (const run::DeviceReport& device : report.devices) {
    if (!device.name.empty()) return short_device_name(device.name);
  }
  return short_device_name(report.run.cpu_model);
}

void add_tiles(Page& page) {
  const std::vector<Chip> chips = chips_of(page.report);
  if (chips.empty()) return;
  const auto list = page.out.in("dl", {{"class", "tiles"}});
  for (const Chip& chip : chips) {
    const auto group = page.out.in("div");
    page.out.element("dt", chip.name);
    const auto description = page.out.in("dd");
    page.out.number(chip.value, chip.shown);
    if (!chip.more.empty()) page.out.element("small", chip.more);
  }
}

bool has_gain(const run::Advice& advice) {
  return advice.predicted && std::isfinite(advice.predicted->ratio) &&
         std::isfinite(advice.predicted->lo) && std::isfinite(advice.predicted->hi);
}

// A bar to the predicted ratio and a whisker over its interval.
void gain_bar(Markup& out, const run::Speedup& gain, double most) {
  const auto place = [most](double ratio) {
    const double span = std::max(most - 1, 1e-9);
    return exact(std::round(std::clamp((ratio - 1) / span, 0.0, 1.0) * 1000) / 10) + "%";
  };
  const auto svg = out.in(
      "svg", {{"class", "gain"}, {"width", "100%"}, {"height", "14"}, {"aria-hidden", "true"}});
  out.empty("rect",
            {{"class", "gain-bar"}, {"y", "3"}, {"height", "8"}, {"width", place(gain.ratio)}});
  out.empty("line", {{"class", "whisker"},
                     {"x1", place(gain.lo)},
                     {"x2", place(gain.hi)},
                     {"y1", "7"},
                     {"y2", "7"}});
  for (const double end : {gain.lo, gain.hi}) {
    out.empty(
        "line",
        {{"class", "whisker"}, {"x1", place(end)}, {"x2", place(end)}, {"y1", "2"}, {"y2", "12"}});
  }
}

}  // namespace

void add_header(Page& page) {
  const run::Report& report = page.report;
  const auto header = page.out.in("header");
  page.out.element("p", {{"class", "brand"}}, "flatout report");
  page.out.element("h1", program_name(report.run.command));
  const int cpus = report.host.cpus > 0 ? report.host.cpus : report.run.cpus;
  std::vector<std::string> words = {"run " + report.run.id};
  if (!report.run.name.empty()) words.push_back(report.run.name);
  words.push_back(device_words(report));
  if (cpus > 0) words.push_back(std::to_string(cpus) + (cpus == 1 ? " CPU" : " CPUs"));
  words.push_back(steps_words(report));
  words.push_back(format_seconds(report.duration_s));
  words.push_back(basis_text(report));
  if (const auto& run = page.figures["run"]; run.contains("started")) {
    words.push_back(run["started"].get<std::string>());
  }
  std::erase(words, "");
  page.out.element("p", {{"class", "sub"}}, joined(words, " \xc2\xb7 "));
  page.out.element("button", {{"id", "theme"}, {"type", "button"}, {"hidden", "hidden"}},
                   "Light or dark");
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
      page.out.element("p", "Ruled out: " + joined(verdict.ruled_out, ", "));
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
  double most = 1;
  for (const Fix& change : changes) {
    if (has_gain(*change.advice)) most = std::max(most, change.advice->predicted->hi);
  }
  const Table table(page.out,
                    "Predicted speed over present speed, with a 95 % interval, each change by "
                    "itself unless it says otherwise",
                    {"Fix", "Change", "Where", "Predicted", "", "Risk"}, "changes");
  const auto body = page.out.in("tbody");
  int number = 0;
  for (const Fix& change : changes) {
    const run::Advice& advice = *change.advice;
    const auto row = page.out.in("tr");
    page.out.element("td", std::to_string(++number));
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
    page.out.element("td", {{"class", "nowrap"}},
                     has_gain(advice) ? speedup_text(*advice.predicted) : "not predicted");
    {
      const auto cell = page.out.in("td", {{"class", "wide"}});
      if (has_gain(advice)) gain_bar(page.out, *advice.predicted, most);
    }
    page.out.element("td", std::string(risk_text(advice.risk)) +
                               (advice.other_draws ? ", different random stream" : ""));
  }
}

}  // namespace flatout::report::html
