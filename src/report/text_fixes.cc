// What to do, and what it is not.
#include <cmath>
#include <string>

#include "report/fixes.h"
#include "report/quantity.h"
#include "report/text_parts.h"
#include "run/knob_table.h"
#include "run/speedup_text.h"

namespace flatout::report {
namespace {

constexpr std::size_t kFixes = 3;

std::string fix_text(const run::Report& report, const run::Advice& advice, const Style& style) {
  const std::string& cwd = report.run.cwd;
  std::string text = cleaned(relative_paths(advice.at, cwd), style);
  if (!text.empty()) text += "  ";
  text += cleaned(relative_paths(change_text(advice), cwd), style);
  const std::string gain = gain_text(advice);
  if (text.ends_with('.')) text.pop_back();
  if (!gain.empty()) text += "  " + toned(Tone::kGain, "-> " + gain);
  // What a change made by hand does to the math is in the reader's hands.
  const bool open = advice.to.empty() && advice.risk == run::Risk::kSameMaths;
  if (!open) text += std::string(gain.empty() ? "; " : ", ").append(risk_text(advice.risk));
  if (advice.other_draws) text += ", different random stream";
  // What the program can be given as it is, with a proof.
  const run::KnobFacts* knob = run::knob_facts(advice.knob);
  if (knob != nullptr && knob->replaces_code) text += "; `flatout tune` tries it without an edit";
  return text;
}

}  // namespace

bool speaks(const run::Finding& finding) { return finding.severity != run::Severity::kInfo; }

std::vector<Fix> fixes_of(const run::Report& report) {
  if (report.failure) return {};
  const auto turn = [&](const run::Finding& finding) {
    if (!speaks(finding)) return 2;
    return finding.id == report.verdict.finding ? 0 : 1;
  };
  std::vector<Fix> out;
  for (const int now : {0, 1, 2}) {
    for (const run::Finding& finding : report.findings) {
      if (turn(finding) != now) continue;
      for (const run::Advice& advice : finding.advice) out.push_back({&finding, &advice});
    }
  }
  return out;
}

std::string speedup_text(const run::Speedup& speedup) {
  const double factor = speedup.ratio > 0 && speedup.ratio < 1 ? 1 / speedup.ratio : speedup.ratio;
  return run::speedup_text(speedup, factor < 1.1 ? 2 : 1);
}

SpeedupParts speedup_parts(std::string_view text) {
  const std::size_t open = text.find(" [");
  if (open == std::string_view::npos || !text.ends_with(']')) return {std::string(text), ""};
  std::string interval(text.substr(open + 2, text.size() - open - 3));
  const std::size_t comma = interval.find(", ");
  if (comma != std::string::npos) interval.replace(comma, 2, " to ");
  return {std::string(text.substr(0, open)), interval};
}

std::string gain_text(const run::Advice& advice) {
  return advice.predicted ? speedup_text(*advice.predicted) : "";
}

std::string_view risk_text(run::Risk risk) {
  switch (risk) {
    case run::Risk::kSameMaths:
      return "same math";
    case run::Risk::kRounding:
      return "other rounding";
    case run::Risk::kChangesTraining:
      break;
  }
  return "changes training";
}

// A loader's argument by itself, and what `how` says beyond it.
std::string change_text(const run::Advice& advice) {
  if (!advice.argument.empty()) return advice.argument + advice.how;
  if (!advice.how.empty()) return advice.how;
  return advice.to.empty() ? advice.knob : advice.knob + "=" + run::python_literal(advice.to);
}

void add_fixes(const run::Report& report, Page& page) {
  constexpr Rank kRanks[kFixes] = {kAlways, kNextFix, kLastFix};
  std::size_t number = 0;
  for (const Fix& fix : fixes_of(report)) {
    if (!speaks(*fix.finding) || number == kFixes) return;
    page.add_field(kRanks[number], "Fix " + std::to_string(number + 1),
                   fix_text(report, *fix.advice, page.style()));
    ++number;
  }
}

void add_chances(const run::Report& report, Page& page) {
  constexpr int kShown = 2;
  int shown = 0;
  for (const Fix& fix : fixes_of(report)) {
    if (speaks(*fix.finding)) continue;
    if (shown++ == kShown) return;
    page.add_field(kChance, "Try",
                   cleaned(relative_paths(fix.finding->summary, report.run.cwd), page.style()) +
                       " " + fix_text(report, *fix.advice, page.style()));
  }
}

void add_other_findings(const run::Report& report, Page& page) {
  constexpr int kShown = 2;
  int shown = 0;
  for (const run::Finding& finding : report.findings) {
    if (!speaks(finding) || finding.id == report.verdict.finding || shown == kShown) continue;
    ++shown;
    const std::string head = cleaned(headline(finding.id), page.style()) + ", " +
                             format_percent(finding.share) + share_words(report, finding);
    const std::string summary =
        cleaned(relative_paths(finding.summary, report.run.cwd), page.style());
    page.add_field(kOtherFinding, "Also", summary.empty() ? head : head + ": " + summary, head);
  }
  std::string ruled_out;
  for (const std::string& cause : report.verdict.ruled_out) {
    ruled_out += (ruled_out.empty() ? "" : ", ") + cause;
  }
  if (ruled_out.empty()) return;
  page.add({.rank = kNotIt,
            .lines = wrap(toned(Tone::kHeading, "Ruled out:") + " ",
                          cleaned(ruled_out, page.style()), page.columns())});
}

}  // namespace flatout::report
