#include "check/judge.h"

#include <gtest/gtest.h>

#include <limits>

namespace flatout::check {
namespace {

run::Report trained() {
  run::Report report;
  report.state = run::RunState::kFinished;
  report.steps.emplace();
  report.steps->count = 120;
  report.steps->steady_count = 100;
  report.steps->median_ms = 130;
  report.steps->device_busy = 0.7;
  report.steps->phases = {{"data_wait", 0.24}};
  report.findings.push_back({.id = "input_bound",
                             .severity = run::Severity::kWarn,
                             .share = 0.24,
                             .summary = "The CPU waits.",
                             .evidence = {},
                             .advice = {}});
  return report;
}

run::CheckLine line_of(const std::string& budget, const Subject& subject,
                       const std::optional<Against>& against = {}) {
  const auto parsed = parse_budget(budget, "b", {"input_bound", "host_bound"});
  if (!parsed) throw std::runtime_error(parsed.error().message);
  const run::CheckReport report = judge(*parsed, subject, against);
  EXPECT_EQ(report.lines.size(), 1U);
  EXPECT_EQ(report.passed, !report.lines.front().failed);
  return report.lines.front();
}

TEST(Judge, HoldsFiguresBetweenMinAndMax) {
  const run::Report report = trained();
  const Subject subject{&report, {}, {}};
  const auto outcome = [&](const char* budget) { return line_of(budget, subject).outcome; };
  EXPECT_EQ(outcome("[limits]\nstep.median_ms = {max = 130}"), run::CheckOutcome::kWithin);
  EXPECT_EQ(outcome("[limits]\nstep.median_ms = {max = 129.9}"), run::CheckOutcome::kOver);
  EXPECT_EQ(outcome("[limits]\ndevice.busy = {min = 0.7}"), run::CheckOutcome::kWithin);
  EXPECT_EQ(outcome("[limits]\ndevice.busy = {min = \"71 %\"}"), run::CheckOutcome::kOver);
  EXPECT_EQ(outcome("[limits]\nphase.data_wait = {max = 0.1}"), run::CheckOutcome::kOver);
  // A phase that did not occur took none of the time.
  EXPECT_EQ(outcome("[limits]\nphase.comm = {max = 0}"), run::CheckOutcome::kWithin);
}

TEST(Judge, AbsentIsNeverWithin) {
  run::Report report = trained();
  report.steps->phases_unavailable = {{"sync", "no hooks"}};
  const Subject subject{&report, {}, {{"nan", std::nullopt}}};
  for (const char* budget :
       {"[limits]\nstep.p99_ms = {max = 1e9}", "[limits]\nphase.sync = {max = 1}",
        "[limits]\nidle.sync = {max = 1}", "[limits]\ndevice.memory_bytes = {min = 0}",
        "[values]\nnan = {max = 1e9}", "[values]\nnone = {max = 1e9}",
        "[baseline]\nstep.mean_ms = {worse_by = 9}", "[baseline]\nrefuse = [\"lost\"]"}) {
    const run::CheckLine line = line_of(budget, subject);
    EXPECT_EQ(line.outcome, run::CheckOutcome::kNotMeasured) << budget;
    EXPECT_TRUE(line.failed) << budget;
    EXPECT_FALSE(line.text.empty()) << budget;
  }
  const run::CheckLine optional =
      line_of("[limits]\nstep.p99_ms = {max = 1, optional = true}", subject);
  EXPECT_EQ(optional.outcome, run::CheckOutcome::kNotMeasured);
  EXPECT_FALSE(optional.failed);
}

TEST(Judge, FindingsOfARunWithoutStepsAreNotMeasured) {
  run::Report report = trained();
  EXPECT_EQ(line_of("[run]\nno_findings = [\"input_bound\"]", {&report, {}, {}}).outcome,
            run::CheckOutcome::kOver);
  EXPECT_EQ(line_of("[run]\nno_findings = [\"host_bound\"]", {&report, {}, {}}).outcome,
            run::CheckOutcome::kWithin);
  report.rules_off = {"host_bound"};
  EXPECT_TRUE(line_of("[run]\nno_findings = [\"host_bound\"]", {&report, {}, {}}).failed);
  report.rules_off = {};
  report.findings.clear();
  report.steps.reset();
  EXPECT_EQ(line_of("[run]\nno_findings = [\"host_bound\"]", {&report, {}, {}}).outcome,
            run::CheckOutcome::kNotMeasured);
}

TEST(Judge, FindingsOfSeverityInfoAreNotRaised) {
  run::Report report = trained();
  report.findings.front().severity = run::Severity::kInfo;
  EXPECT_FALSE(line_of("[run]\nno_findings = [\"input_bound\"]", {&report, {}, {}}).failed);
}

TEST(Judge, StatesAreThoseThatAreListed) {
  run::Report report = trained();
  EXPECT_FALSE(line_of("[run]\nstates = [\"finished\"]", {&report, {}, {}}).failed);
  report.state = run::RunState::kKilled;
  EXPECT_TRUE(line_of("[run]\nstates = [\"finished\"]", {&report, {}, {}}).failed);
}

Against worse(double change, double lo, double hi) {
  return {{{"step.mean_ms", 100, 100 * (1 + change), true, change, lo, hi}}, {}};
}

TEST(Judge, AgainstABaselineNothingFailsThatIsNotProved) {
  const run::Report report = trained();
  const Subject subject{&report, {}, {}};
  const std::string lenient = "[baseline]\nstep.mean_ms = {worse_by = 0.05}";
  const std::string strict = "[baseline]\nstep.mean_ms = {worse_by = 0.05, strict = true}";
  struct Row {
    Against against;
    run::CheckOutcome lenient, strict;
  };
  const Row rows[] = {
      {worse(0.02, -0.01, 0.05), run::CheckOutcome::kWithin, run::CheckOutcome::kWithin},
      {worse(0.04, 0.01, 0.07), run::CheckOutcome::kWithin, run::CheckOutcome::kNotShown},
      {worse(0.30, 0.049, 0.55), run::CheckOutcome::kWithin, run::CheckOutcome::kNotShown},
      {worse(0.10, 0.051, 0.15), run::CheckOutcome::kOver, run::CheckOutcome::kOver},
      {worse(-0.3, -0.4, -0.2), run::CheckOutcome::kWithin, run::CheckOutcome::kWithin}};
  for (const Row& row : rows) {
    EXPECT_EQ(line_of(lenient, subject, row.against).outcome, row.lenient);
    EXPECT_EQ(line_of(strict, subject, row.against).outcome, row.strict);
  }
}

TEST(Judge, RefusesWhatMakesAComparisonUnfair) {
  const run::Report report = trained();
  const Subject subject{&report, {}, {}};
  const Against other{{}, {{"other_machine", "the runs were made on different machines"}}};
  const std::string budget = "[baseline]\nrefuse = [\"other_machine\"]";
  EXPECT_TRUE(line_of(budget, subject, other).failed);
  EXPECT_FALSE(line_of(budget, subject, Against{}).failed);
}

}  // namespace
}  // namespace flatout::check
