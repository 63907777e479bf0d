// What to do, and what it is not.
#include <cmath>
#include <cstdio>
#include <string>

#include "report/quantity.h"
#include "report/text_parts.h"
#include "run/knob_table.h"

namespace flatout::report {
namespace {

constexpr std::size_t kFixes = 3;

std::string fix_text(const run::Advice& advice, const std::string& cwd) {
  std::string text = relative_paths(advice.at, cwd);
  if (!text.empty()) text += "  ";
  text += relative_paths(change_text(advice), cwd);
  const std::string gain = advice.predicted ? speedup_text(*advice.predicted) : "";
  if (text.ends_with('.')) text.pop_back();
  if (!gain.empty()) text += "  -> " + gain;
  // What a change made by hand does to the math is in the reader's hands.
  const bool open = advice.to.empty() && advice.risk == run::Risk::kSameMaths;
  if (!open) text += std::string(gain.empty() ? "; " : ", ").append(risk_text(advice.risk));
  if (advice.other_draws) text += ", different random stream";
  return text;
}

// What was typed; CMD where not all of it was kept (--no-argv, secrets).
std::string typed(const run::RunInfo& run) {
  std::string text;
  for (const std::string& word : run.command) {
    if (word.find("****") != std::string::npos) return "CMD";
    text += (text.empty() ? "" : " ") + shell_word(word);
  }
  const bool alone = run.command.size() == 1 && run.command[0].find("python") != std::string::npos;
  constexpr std::size_t kMost = 140;  // beyond it the lines would end in "..."
  return text.empty() || alone || text.size() > kMost ? "CMD" : text;
}

bool speaks(const run::Finding& finding) { return finding.severity != run::Severity::kInfo; }

}  // namespace

std::string speedup_text(const run::Speedup& speedup) {
  if (!std::isfinite(speedup.ratio) || !std::isfinite(speedup.lo + speedup.hi)) return "";
  const char* format = "x%.1f [%.1f, %.1f]";
  if (speedup.ratio < 1.1) format = "x%.2f [%.2f, %.2f]";
  if (speedup.ratio >= 100) format = "x%.3g [%.3g, %.3g]";
  char text[1024];
  std::snprintf(text, sizeof text, format, speedup.ratio, speedup.lo, speedup.hi);
  return text;
}

std::string shell_word(const std::string& word) {
  const bool plain = word.find_first_not_of(
                         "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789"
                         "_-+=.,:/@%") == std::string::npos;
  if (plain && !word.empty()) return word;
  std::string out = "'";
  for (const char c : word) out += c == '\'' ? std::string("'\\''") : std::string(1, c);
  return out + "'";
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
  constexpr Rank kRanks[kFixes] = {kFirstFix, kNextFix, kLastFix};
  std::size_t number = 0;
  // The verdict's own fixes first; the findings stand in order of their share.
  for (const bool of_verdict : {true, false}) {
    for (const run::Finding& finding : report.findings) {
      if (!speaks(finding) || (finding.id == report.verdict.finding) != of_verdict) continue;
      for (const run::Advice& advice : finding.advice) {
        if (number == kFixes) return;
        page.add_field(kRanks[number], "Fix " + std::to_string(number + 1),
                       fix_text(advice, report.run.cwd), 3);
        ++number;
        // What the program can be given as it is, with a proof.
        const run::KnobFacts* knob = run::knob_facts(advice.knob);
        if (knob != nullptr && knob->replaces_code) {
          page.add_field(kNextFix, "Or",
                         "flatout tune -- " + typed(report.run) + "  tries it without an edit", 3);
        }
      }
    }
  }
}

void add_chances(const run::Report& report, Page& page) {
  constexpr int kShown = 2;
  int shown = 0;
  for (const run::Finding& finding : report.findings) {
    if (speaks(finding)) continue;
    for (const run::Advice& advice : finding.advice) {
      if (shown++ == kShown) return;
      page.add_field(
          kChance, "Try",
          relative_paths(finding.summary, report.run.cwd) + " " + fix_text(advice, report.run.cwd),
          3);
    }
  }
}

void add_other_findings(const run::Report& report, Page& page) {
  constexpr int kShown = 2;
  int shown = 0;
  for (const run::Finding& finding : report.findings) {
    if (!speaks(finding) || finding.id == report.verdict.finding || shown == kShown) continue;
    ++shown;
    std::string text = headline(finding.id) + ", " + format_percent(finding.share) +
                       (finding.of_run ? " of the run" : " of the step");
    if (!finding.summary.empty()) {
      text += ": " + relative_paths(finding.summary, report.run.cwd);
    }
    page.add_field(kOtherFinding, "Also", text);
  }
  std::string ruled_out;
  for (const std::string& cause : report.verdict.ruled_out) {
    ruled_out += (ruled_out.empty() ? "" : ", ") + cause;
  }
  if (!ruled_out.empty()) page.add_field(kNotIt, "Ruled out", ruled_out);
}

}  // namespace flatout::report
