// The time before the first step: when it is a finding, and what it is said to have gone to.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <optional>
#include <string>

#include "analyse/analyse.h"
#include "analyse/timeline_builder.h"

namespace flatout::analyse {
namespace {

using run::Severity;
using ::testing::HasSubstr;
using ::testing::Not;

// Draws and forwards without gradients of `passes` s end a start-up of `start_s`; training follows.
TimelineBuilder started(double start_s, int steps, double passes_s = 0, const char* import_s = "") {
  TimelineBuilder run;
  run.loader(0, 1).iterator(1, 0, 1);
  if (*import_s != '\0') {
    run.fact(TimelineBuilder::kPid, run::facts::kImports,
             std::string(R"({"seconds":)") + import_s + "}");
  }
  LaneScript lane((start_s - passes_s) * 1000);
  if (passes_s > 0) {
    for (int i = 0; i < 10; ++i) {
      lane.draw(2, passes_s * 20, 16, false).eval_forward(passes_s * 80);
    }
  }
  for (int i = 0; i < steps; ++i) lane.draw(1, 0.2).train(19.8);
  run.lane(lane);
  run.timeline().last_ns = lane.now_ns();
  run.timeline().state = run::RunState::kFinished;
  return run;
}

std::optional<run::Finding> startup_of(const TimelineBuilder& run) {
  const run::Report report = analyse(run.timeline());
  const auto it = std::ranges::find(report.findings, "startup", &run::Finding::id);
  return it == report.findings.end() ? std::nullopt : std::optional(*it);
}

std::optional<double> evidence(const run::Finding& finding, const std::string& metric) {
  const auto it = std::ranges::find(finding.evidence, metric, &run::Evidence::metric);
  return it == finding.evidence.end() ? std::nullopt : std::optional(it->value);
}

TEST(Startup, OfALongRunIsAWarning) {
  const auto severity = [](double start_s, int steps, run::RunState state, bool stopped = false) {
    TimelineBuilder run = started(start_s, steps);
    run.timeline().state = state;
    if (stopped) run.fact(TimelineBuilder::kPid, run::facts::kStopped, R"({"steps":9})");
    const auto finding = startup_of(run);
    return finding ? std::optional(finding->severity) : std::nullopt;
  };
  constexpr auto kEnded = run::RunState::kFinished;
  EXPECT_EQ(severity(70, 2000, kEnded), Severity::kWarn);
  EXPECT_EQ(severity(70, 2000, run::RunState::kRunning), Severity::kInfo) << "who knows how long";
  EXPECT_EQ(severity(70, 2000, kEnded, true), Severity::kInfo) << "--stop-after";
  EXPECT_EQ(severity(15, 200, kEnded), Severity::kInfo) << "seconds, in a short run";
  EXPECT_EQ(severity(8, 80, kEnded), std::nullopt);
  EXPECT_EQ(severity(15, 4000, kEnded), std::nullopt) << "16 %";
}

TEST(Startup, SaysWhatHalfOfItOrMoreWentTo) {
  const auto imports = startup_of(started(20, 100, 0, "14.0"));
  ASSERT_TRUE(imports);
  EXPECT_THAT(imports->summary, HasSubstr("; 14.0 s of it are imports."));
  const auto detail = run::detail_of<run::StartupDetail>(*imports);
  EXPECT_EQ(detail.mostly, run::StartupPart::kImports);
  EXPECT_TRUE(detail.imports_timed);
  EXPECT_EQ(evidence(*imports, "startup.import_s"), 14.0);
  EXPECT_EQ(evidence(*imports, "startup.passes_s"), std::nullopt);
  const auto passes = startup_of(started(20, 100, 12, "4.0"));
  ASSERT_TRUE(passes);
  EXPECT_THAT(passes->summary, HasSubstr("; 12.0 s of it are forward passes and their batches."));
  EXPECT_EQ(run::detail_of<run::StartupDetail>(*passes).mostly, run::StartupPart::kPasses);
  EXPECT_NEAR(evidence(*passes, "startup.passes_s").value_or(0), 12, 0.01);
}

TEST(Startup, GivesNoCauseWhereNoneHasHalfOfIt) {
  for (const char* import_s : {"", "9.0"}) {
    const auto finding = startup_of(started(20, 100, 9, import_s));
    ASSERT_TRUE(finding);
    EXPECT_THAT(finding->summary, Not(HasSubstr("of it are"))) << import_s;
    EXPECT_EQ(run::detail_of<run::StartupDetail>(*finding).mostly, run::StartupPart::kNone);
  }
}

TEST(Startup, NoPartIsLongerThanTheWhole) {
  const auto finding = startup_of(started(20, 100, 0, "1e300"));
  ASSERT_TRUE(finding);
  EXPECT_NEAR(evidence(*finding, "startup.import_s").value_or(0), 20, 0.5);
}

}  // namespace
}  // namespace flatout::analyse
