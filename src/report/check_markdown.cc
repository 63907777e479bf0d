#include "report/check_view.h"
#include "report/check_words.h"

namespace flatout::report {
namespace {

// Text of anybody that neither formats, nor links, nor calls for anyone (@name): of ASCII, what is
// no letter, digit or space as a character reference.
std::string in_markdown(std::string_view text) {
  std::string out;
  for (const char c : cleaned(text, {.unicode = true})) {
    const bool plain = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
                       c == ' ' || (c & 0x80) != 0;
    if (plain) {
      out += c;
    } else {
      out += "&#" + std::to_string(static_cast<int>(c)) + ";";
    }
  }
  return out;
}

// In <code>, where @name and #1 mean nobody and nothing.
std::string code(std::string_view text) { return "<code>" + in_markdown(text) + "</code>"; }

std::string row(const run::CheckLine& line) {
  const std::string word(outcome_word(line));
  std::string out =
      "| " + (line.failed ? "**" + word + "**" : word) + " | " + code(line_name(line));
  // Numbers and units of our own.
  out += " | " + found_text(line) + " | " + allowed_text(line) + " | ";
  return out + (line.text.empty() ? "" : code(line.text)) + " |\n";
}

}  // namespace

std::string check_markdown(const run::CheckReport& report) {
  std::string out =
      std::string("### flatout check: ") + (report.passed ? "passed" : "failed") + "\n\n";
  out += "Run " + code(checked_run(report.run)) + " against " + code(report.budget) + ": " +
         verdict_text(report) + ".\n\n";
  if (report.baseline) {
    out +=
        "Baseline " + code(checked_run(*report.baseline)) +
        ". Intervals (95 %, moving-block bootstrap) cover variation within the runs, not between "
        "them.\n\n";
  }
  for (const run::Caution& caution : report.cautions)
    out += "- Warning: " + code(caution.text) + "\n";
  if (!report.cautions.empty()) out += "\n";
  out += "| | line | found | allowed | |\n| --- | --- | --- | --- | --- |\n";
  for (const bool failed : {true, false}) {
    for (const run::CheckLine& line : report.lines) {
      if (line.failed == failed) out += row(line);
    }
  }
  return out;
}

}  // namespace flatout::report
