#include "report/check_view.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <string>

namespace flatout::report {
namespace {

using testing::HasSubstr;
using testing::Not;

run::ComparedRun run_called(const std::string& id, const std::string& name) {
  run::ComparedRun run;
  run.id = id;
  run.name = name;
  run.host = "node1";
  run.state = run::RunState::kFinished;
  return run;
}

run::CheckLine line_called(const std::string& id, const std::string& unit) {
  run::CheckLine line;
  line.id = id;
  line.unit = unit;
  return line;
}

run::CheckReport example() {
  run::CheckReport report;
  report.run = run_called("k7f2", "resnet");
  report.baseline = run_called("m3qa", "main");
  report.block_steps = 12;
  report.budget = "budget.toml";
  report.passed = false;
  run::CheckLine over = line_called("limits.step.median_ms", "ms");
  over.outcome = run::CheckOutcome::kOver;
  over.failed = true;
  over.value = 130;
  over.most = 120;
  over.text = "above what is allowed";
  run::CheckLine absent = line_called("limits.device.busy", "ratio");
  absent.outcome = run::CheckOutcome::kNotMeasured;
  absent.optional = true;
  absent.least = 0.85;
  absent.text = "no driver said it";
  run::CheckLine worse = line_called("baseline.step.mean_ms", "ms");
  worse.worse_by = 0.05;
  worse.value = 104;
  worse.change = run::Worsening{"step.mean_ms", 100, 104, true, 0.04, 0.01, 0.07};
  worse.text = "not proved worse than is allowed";
  report.lines = {absent, worse, over};
  return report;
}

// Whatever a name can hold, in each place where one stands.
run::CheckReport hostile() {
  const std::string name =
      "a\x1b[2J]]>\"'<b>&|`*_[x](y)@all #1\n\r\t\x01\xff\xEF\xBF\xBF\xE2\x80\xAE";
  run::CheckReport report = example();
  report.run.name = report.run.host = report.budget = report.baseline->name = name;
  report.cautions = {{"other_machine", name}};
  for (run::CheckLine& line : report.lines) {
    line.text = name;
    line.id = "values." + name;
  }
  return report;
}

TEST(CheckView, TextHasWhatIsNotKeptFirst) {
  EXPECT_EQ(check_text(example(), {.columns = 100}),
            R"(flatout check: k7f2 (resnet) against budget.toml: FAILED, 1 of 3 lines is not kept
Baseline m3qa (main); 95 % intervals by a moving-block bootstrap, in blocks of 12 steps: they cover
variation within the runs, not between them.

OVER      step.median_ms  130 ms; at most 120 ms
skipped   device.busy     at least 85 %: no driver said it
ok        step.mean_ms    100 ms -> 104 ms, +4.0 % [+1.0, +7.0]; at most 5 % worse: not proved worse
                          than is allowed
)");
}

TEST(CheckView, TextFitsAndSteersNoTerminal) {
  for (const std::size_t columns : {40U, 60U, 80U, 200U}) {
    for (const run::CheckReport& report : {example(), hostile()}) {
      const std::string text = check_text(report, {.columns = columns, .unicode = true});
      for (const char c : text) EXPECT_TRUE(c == '\n' || (c & 0xE0) != 0) << int(c);
      std::size_t from = 0;
      for (std::size_t at = 0; (at = text.find('\n', from)) != std::string::npos; from = at + 1) {
        EXPECT_LE(width_of(text.substr(from, at - from)), columns);
      }
    }
  }
}

TEST(CheckView, JsonHasFiguresAndIntervals) {
  const auto json = nlohmann::json::parse(check_json(example()));
  EXPECT_EQ(json["schema"], "flatout.check/1");
  EXPECT_EQ(json["passed"], false);
  EXPECT_EQ(json["lines"][1]["change"]["interval"][1], 0.07);
  EXPECT_EQ(json["lines"][0]["outcome"], "not_measured");
  EXPECT_FALSE(json["lines"][0].contains("value"));
  EXPECT_FALSE(nlohmann::json::parse(check_json(hostile())).is_discarded());
}

TEST(CheckView, MarkdownHasNamesAsTextOnly) {
  const std::string text = check_markdown(hostile());
  for (const char* part : {"<b>", "](", "@", "`", "\x1b", "]]>", "| |`"}) {
    EXPECT_THAT(text, Not(HasSubstr(part))) << part;
  }
  EXPECT_THAT(
      check_markdown(example()),
      HasSubstr("| **OVER** | <code>step&#46;median&#95;ms</code> | 130 ms | at most 120 ms | "));
  // Each row has the five cells of the table.
  std::size_t bars = 0;
  for (const char c : check_markdown(hostile())) bars += c == '|' ? 1 : 0;
  EXPECT_EQ(bars, 6U * (3 + 2));
}

TEST(CheckView, JunitCountsAndEscapes) {
  const std::string xml = check_junit(example());
  EXPECT_THAT(xml, HasSubstr("tests=\"3\" failures=\"1\" errors=\"0\" skipped=\"1\""));
  EXPECT_THAT(xml, HasSubstr("<failure message=\"130 ms; at most 120 ms: above what is allowed\""));
  const std::string other = check_junit(hostile());
  for (const char* part : {"<b>", "\x1b", "]]>", "\xEF\xBF\xBF", "\x01"}) {
    EXPECT_THAT(other, Not(HasSubstr(part))) << part;
  }
}

}  // namespace
}  // namespace flatout::report
