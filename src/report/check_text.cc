#include <algorithm>
#include <limits>

#include "report/check_view.h"
#include "report/check_words.h"
#include "report/layout.h"

namespace flatout::report {
namespace {

constexpr std::size_t kWordColumns = 10;  // "NOT SHOWN"
constexpr std::size_t kWidestName = 28;
constexpr std::size_t kWidestTitle = 48;

Tone tone_of(const run::CheckLine& line) {
  if (line.failed) return Tone::kLoss;
  return line.outcome == run::CheckOutcome::kNotMeasured ? Tone::kCaution : Tone::kGain;
}

// "OVER  step.median_ms  130 ms, at most 120 ms: above what is allowed"
std::vector<std::string> line_text(const run::CheckLine& line, std::size_t name_columns,
                                   const Style& style) {
  std::string said = found_text(line);
  const std::string allowed = allowed_text(line);
  if (!allowed.empty()) said += (said.empty() ? "" : "; ") + allowed;
  // What is over its limit needs no more words; of a finding and a baseline they are the reason.
  const bool plain = line.outcome == run::CheckOutcome::kOver && (line.least || line.most);
  if (!line.text.empty() && !plain) said += (said.empty() ? "" : ": ") + cleaned(line.text, style);
  const std::string word = padded(outcome_word(line), kWordColumns);
  const std::string name = shorten(cleaned(line_name(line), style), name_columns - 2);
  const std::string label = word + padded(name, name_columns);
  std::vector<std::string> lines = wrap(label, said, style.columns);
  if (!lines.empty() && lines.front().starts_with(word)) {
    lines.front() = toned(tone_of(line), word) + lines.front().substr(word.size());
  }
  return lines;
}

}  // namespace

std::string check_text(const run::CheckReport& report, const Style& style) {
  Page page(style);
  const std::string run = shorten(cleaned(checked_run(report.run), style), kWidestTitle);
  const std::string verdict =
      report.passed ? toned(Tone::kGain, "PASSED") : toned(Tone::kLoss, "FAILED");
  page.add({.rank = 0,
            .lines = wrap("",
                          toned(Tone::kHeading, "flatout check:") + " " + run + " against " +
                              cleaned(report.budget, style) + ": " + verdict + ", " +
                              verdict_text(report),
                          style.columns)});
  if (report.baseline) {
    const std::string blocks =
        report.block_steps == 0 ? ""
                                : ", in blocks of " + std::to_string(report.block_steps) + " steps";
    page.add(
        {.rank = 0,
         .lines = wrap("",
                       "Baseline " +
                           shorten(cleaned(checked_run(*report.baseline), style), kWidestTitle) +
                           "; 95 % intervals by a moving-block bootstrap" + blocks +
                           ": they cover variation within the runs, not between them.",
                       style.columns)});
  }
  for (const run::Caution& caution : report.cautions) {
    page.add({.rank = 0,
              .lines = wrap("Warning  ", toned(Tone::kCaution, cleaned(caution.text, style)),
                            style.columns)});
  }
  page.add_blank();
  std::size_t name_columns = 12;
  for (const run::CheckLine& line : report.lines) {
    name_columns = std::max(name_columns,
                            std::min(kWidestName, width_of(cleaned(line_name(line), style)) + 2));
  }
  name_columns = std::min(name_columns, std::max<std::size_t>(12, style.columns / 3));
  for (const bool failed : {true, false}) {
    for (const run::CheckLine& line : report.lines) {
      if (line.failed == failed)
        page.add({.rank = 0, .lines = line_text(line, name_columns, style)});
    }
  }
  return page.text(std::numeric_limits<std::size_t>::max());
}

}  // namespace flatout::report
