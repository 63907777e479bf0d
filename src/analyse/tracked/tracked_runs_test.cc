#include "analyse/tracked/tracked_runs.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <limits>
#include <nlohmann/json.hpp>
#include <string>

#include "analyse/tracked/tracked_report.h"
#include "run/facts.h"

namespace flatout::analyse {
namespace {

using nlohmann::json;
using testing::ElementsAre;

void say(run::Timeline& timeline, pid_t pid, std::int64_t t_ns, std::string_view key,
         const std::string& text) {
  timeline.processes[pid].facts.push_back({t_ns, std::string(key), text});
}

void log(run::Timeline& timeline, pid_t pid, std::uint32_t track, const std::string& name,
         std::vector<double> values, std::int64_t step = 0, std::int64_t t_ns = 1000) {
  for (const double value : values) {
    timeline.processes[pid].values.push_back(
        {.t_ns = t_ns++, .value = value, .step = step++, .track = track, .name = name});
  }
}

run::Timeline one_run() {
  run::Timeline timeline;
  say(timeline, 7, 10, run::facts::kTrackRun, R"({"track":0,"source":"wandb","id":"a"})");
  return timeline;
}

TEST(TrackedRuns, ARecordingWithoutATrackerHasNone) {
  run::Timeline timeline;
  log(timeline, 7, 0, "loss", {1, 2});
  say(timeline, 7, 10, run::facts::kTrackConfig, R"({"track":0,"set":{"a":1}})");
  EXPECT_TRUE(tracked_runs(timeline).empty());
}

// Of step 0 to 9 by one part, then again from step 5.
run::Timeline rewound(const char* copied) {
  run::Timeline timeline = one_run();
  log(timeline, 7, 0, "loss", {9, 8, 7, 6, 5, 4, 3, 2, 1, 0});
  say(timeline, 7, 1020, run::facts::kTrackRow, R"({"track":0,"step":9,"data":{"t":"late"}})");
  say(timeline, 7, 1030, run::facts::kTrackSummary, R"({"track":0,"set":{"_step":9,"best":0}})");
  say(timeline, 7, 1040, run::facts::kTrackEnd, R"({"track":0,"exit_code":0})");
  say(timeline, 7, 2000, run::facts::kTrackRun,
      R"({"track":1,"source":"wandb","id":"a","branch":"rewind","from":"a","from_step":4})");
  say(timeline, 7, 2000, run::facts::kTrackHistory, copied);
  log(timeline, 7, 1, "loss", {9, 8, 7, 6, 5}, 0, 1990);
  log(timeline, 7, 1, "loss", {50}, 5, 2010);
  return timeline;
}

TEST(TrackedRuns, ARewindTakesOutWhatEndedBeforeIt) {
  const auto runs = tracked_runs(rewound(R"({"track":1,"values":5,"recordings":["k7qd"]})"));
  ASSERT_EQ(runs.size(), 1U);
  ASSERT_EQ(runs[0].parts.size(), 2U);
  EXPECT_TRUE(runs[0].parts[0].archived);
  EXPECT_FALSE(runs[0].parts[1].archived);
  ASSERT_EQ(runs[0].series.size(), 1U);
  EXPECT_EQ(runs[0].series[0].track, 1U);
  EXPECT_EQ(runs[0].series[0].count, 6U);
  EXPECT_TRUE(runs[0].rows.empty());
  EXPECT_EQ(json::parse(runs[0].summary), json({{"loss", 50.0}}));
  ASSERT_TRUE(runs[0].branch);
  EXPECT_TRUE(runs[0].branch->rewind);
  EXPECT_EQ(runs[0].branch->from_step, 4);
}

TEST(TrackedRuns, ARewindWithoutTheWholeHistoryTakesOutNothing) {
  const auto runs = tracked_runs(rewound(R"({"track":1,"values":2,"problem":"the disk is full"})"));
  ASSERT_EQ(runs.size(), 1U);
  EXPECT_EQ(runs[0].series.size(), 2U);
  EXPECT_EQ(runs[0].rows.size(), 1U);
  EXPECT_FALSE(runs[0].parts[0].archived);
}

TEST(TrackedRuns, ARankThatStillLogsIsNotRewoundByAnother) {
  run::Timeline timeline = rewound(R"({"track":1,"values":5})");
  say(timeline, 8, 20, run::facts::kTrackRun, R"({"track":0,"source":"wandb","id":"a"})");
  log(timeline, 8, 0, "rank1", {1, 2});
  const auto runs = tracked_runs(timeline);
  ASSERT_EQ(runs.size(), 1U);
  EXPECT_EQ(runs[0].series.size(), 2U);
  // One that was killed before the rewind had ended, too.
  timeline.processes[8].proc.gone_ns = 1500;
  EXPECT_EQ(tracked_runs(timeline)[0].series.size(), 1U);
}

TEST(TrackedRuns, APartThatResumesKeepsWhatWasSaidOfTheRun) {
  run::Timeline timeline;
  say(timeline, 7, 10, run::facts::kTrackRun,
      R"({"track":0,"source":"wandb","id":"a","name":"n","project":"p","tags":["x"]})");
  say(timeline, 7, 20, run::facts::kTrackRun, R"({"track":1,"source":"wandb","id":"a"})");
  auto run = tracked_runs(timeline).at(0);
  EXPECT_EQ(run.name + run.project, "np");
  EXPECT_THAT(run.tags, ElementsAre("x"));
  say(timeline, 7, 30, run::facts::kTrackRun, R"({"track":1,"source":"wandb","id":"a"})");
  run = tracked_runs(timeline).at(0);
  EXPECT_EQ(run.name + run.project, "") << "the same part takes it back";
}

TEST(TrackedRuns, OneIdInTwoProcessesIsOneRun) {
  run::Timeline timeline = one_run();
  say(timeline, 9, 20, run::facts::kTrackRun,
      R"({"track":2,"source":"wandb","id":"a","name":"later","tags":["x"],"namespace":"m/9"})");
  say(timeline, 7, 30, run::facts::kTrackRun, R"({"track":1,"source":"wandb","id":"b"})");
  log(timeline, 7, 0, "loss", {3, 2});
  log(timeline, 9, 2, "loss", {1}, 5, 2000);
  log(timeline, 7, 1, "other", {4});
  const auto runs = tracked_runs(timeline);
  ASSERT_EQ(runs.size(), 2U);
  EXPECT_EQ(runs[0].id, "a");
  EXPECT_EQ(runs[0].name, "later");
  EXPECT_THAT(runs[0].tags, ElementsAre("x"));
  ASSERT_EQ(runs[0].parts.size(), 2U);
  EXPECT_EQ(runs[0].parts[1].pid, 9);
  EXPECT_EQ(runs[0].parts[1].track, 2U);
  EXPECT_EQ(runs[0].parts[1].name_space, "m/9");
  ASSERT_EQ(runs[0].series.size(), 2U);
  EXPECT_EQ(runs[0].series[0].count, 2U);
  EXPECT_EQ(json::parse(runs[0].summary), (json{{"loss", 1.0}}));
  EXPECT_EQ(json::parse(runs[1].summary), (json{{"other", 4.0}}));
}

TEST(TrackedRuns, OneIdOfTwoTrackersIsTwoRuns) {
  run::Timeline timeline = one_run();
  say(timeline, 7, 20, run::facts::kTrackRun, R"({"track":1,"source":"mlflow","id":"a"})");
  say(timeline, 7, 30, run::facts::kTrackRun, R"({"track":2})");
  say(timeline, 7, 40, run::facts::kTrackRun, R"({"track":3})");
  EXPECT_EQ(tracked_runs(timeline).size(), 4U);
}

TEST(TrackedRuns, ConfigIsMergedInOrderOfTime) {
  run::Timeline timeline = one_run();
  say(timeline, 9, 11, run::facts::kTrackRun, R"({"track":0,"source":"wandb","id":"a"})");
  say(timeline, 7, 40, run::facts::kTrackConfig,
      R"({"track":0,"set":{"lr":0.1},"remove":["opt.b"]})");
  say(timeline, 9, 30, run::facts::kTrackConfig,
      R"({"track":0,"set":{"lr":0.2,"opt":{"a":1,"b":2},"x.y":3}})");
  say(timeline, 7, 50, run::facts::kTrackConfig, R"({"track":0,"remove":["x.y","gone.too"]})");
  say(timeline, 7, 60, run::facts::kTrackConfig, R"({"track":0,"set":[1]})");
  const auto runs = tracked_runs(timeline);
  ASSERT_EQ(runs.size(), 1U);
  EXPECT_EQ(json::parse(runs[0].config), (json{{"lr", 0.1}, {"opt", {{"a", 1}}}}));
}

TEST(TrackedRuns, WhatLiesInAFileIsAskedFor) {
  run::Timeline timeline = one_run();
  say(timeline, 7, 20, run::facts::kTrackConfig, R"({"track":0,"in_file":"ab.json"})");
  say(timeline, 7, 30, run::facts::kTrackRow, R"({"track":0,"step":4,"in_file":"gone.json"})");
  const auto runs = tracked_runs(timeline, [](std::string_view name) {
    return name == "ab.json" ? std::optional<std::string>(R"({"track":0,"set":{"deep":{"a":1}}})")
                             : std::nullopt;
  });
  EXPECT_EQ(json::parse(runs[0].config), (json{{"deep", {{"a", 1}}}}));
  ASSERT_EQ(runs[0].rows.size(), 1U);
  EXPECT_EQ(runs[0].rows[0].data, "");
  EXPECT_EQ(runs[0].rows[0].in_file, "gone.json");
  EXPECT_EQ(runs[0].rows[0].step, 4);
  EXPECT_EQ(tracked_runs(timeline)[0].config, "{}");
}

TEST(TrackedRuns, TheSummaryFollowsTheRules) {
  run::Timeline timeline = one_run();
  const auto nan = std::numeric_limits<double>::quiet_NaN();
  const auto infinite = std::numeric_limits<double>::infinity();
  log(timeline, 7, 0, "val/acc", {0.5, 0.9, 0.7});
  log(timeline, 7, 0, "val/loss", {3, 1, nan});
  log(timeline, 7, 0, "huge", {1e308, 1.7e308, infinite});
  log(timeline, 7, 0, "quiet", {1});
  log(timeline, 7, 0, "own", {1});
  log(timeline, 7, 0, "plain", {-infinite});
  const auto metric = [&](const char* text) {
    say(timeline, 7, 20, run::facts::kTrackMetric, text);
  };
  metric(R"({"track":0,"name":"val/*","summary":"min, mean"})");
  metric(
      R"({"track":0,"name":"val/acc","summary":"best","goal":"maximize","step_metric":"epoch"})");
  metric(R"({"track":0,"name":"h?ge","summary":"mean,last,first"})");
  metric(R"({"track":0,"name":"quiet","summary":"none"})");
  say(timeline, 7, 30, run::facts::kTrackSummary, R"({"track":0,"set":{"own":5,"more":"x"}})");
  const auto run = tracked_runs(timeline).at(0);
  const json summary = json::parse(run.summary);
  EXPECT_EQ(summary.at("val/acc"), (json{{"best", 0.9}}));
  EXPECT_EQ(summary.at("val/loss"), (json{{"min", 1.0}, {"mean", 2.0}}));
  EXPECT_NEAR(summary.at("huge").at("mean").get<double>(), 1.35e308, 1e302);
  EXPECT_EQ(summary.at("huge").at("last"), "Infinity");
  EXPECT_FALSE(summary.contains("quiet"));
  EXPECT_EQ(summary.at("own"), 5);
  EXPECT_EQ(summary.at("more"), "x");
  EXPECT_EQ(summary.at("plain"), "-Infinity");
  EXPECT_EQ(rule_of(run.metrics, "val/acc")->step_metric, "epoch");
  EXPECT_EQ(rule_of(run.metrics, "train/acc"), nullptr);
}

TEST(TrackedRuns, ManyStarsAreMatchedInNoTime) {
  std::vector<run::TrackedMetric> metrics(1);
  metrics[0].name = "*a*a*a*a*a*a*a*a*a*a*a*a*b";
  EXPECT_EQ(rule_of(metrics, std::string(5000, 'a')), nullptr);
  EXPECT_NE(rule_of(metrics, std::string(5000, 'a') + "b"), nullptr);
}

TEST(TrackedRuns, ItEndsWhenAllPartsEnded) {
  run::Timeline timeline = one_run();
  say(timeline, 9, 11, run::facts::kTrackRun, R"({"track":0,"source":"wandb","id":"a"})");
  say(timeline, 9, 90, run::facts::kTrackEnd, R"({"track":0,"exit_code":1})");
  EXPECT_FALSE(tracked_runs(timeline)[0].ended_ns);
  EXPECT_EQ(tracked_runs(timeline)[0].exit_code, 1);
  say(timeline, 7, 80, run::facts::kTrackEnd, R"({"track":0,"exit_code":0})");
  EXPECT_EQ(tracked_runs(timeline)[0].ended_ns, 90);
  EXPECT_EQ(tracked_runs(timeline)[0].exit_code, 1);
}

TEST(TrackedRuns, AReportHasTheLatestOfEachNameAndTheFirstNames) {
  run::Timeline timeline = one_run();
  say(timeline, 9, 20, run::facts::kTrackRun, R"({"track":0,"source":"wandb","id":"a"})");
  log(timeline, 7, 0, "loss", {3, 2}, 5, 5000);
  log(timeline, 9, 0, "loss", {9}, 0, 4000);
  log(timeline, 9, 0, "nan", {std::numeric_limits<double>::quiet_NaN()});
  for (int i = 0; i < 20; ++i) log(timeline, 7, 0, "x" + std::to_string(i), {1});
  const auto reports = tracked_reports(tracked_runs(timeline));
  ASSERT_EQ(reports.size(), 1U);
  EXPECT_EQ(reports[0].metrics, 22);
  EXPECT_EQ(reports[0].points, 24);
  ASSERT_EQ(reports[0].values.size(), run::TrackedReport::kMostValues);
  EXPECT_EQ(reports[0].values[0].name, "loss");
  EXPECT_EQ(reports[0].values[0].count, 3);
  EXPECT_EQ(reports[0].values[0].last, 2);
  EXPECT_EQ(reports[0].values[0].last_step, 6);
  EXPECT_FALSE(reports[0].values[1].last);
}

TEST(TrackedRuns, RowsAlertsFilesAndLossesAreKept) {
  run::Timeline timeline = one_run();
  say(timeline, 7, 20, run::facts::kTrackRow, R"({"track":0,"step":-3,"data":{"s":"warm"}})");
  say(timeline, 7, 21, run::facts::kTrackAlert,
      R"({"track":0,"title":"t","text":"x","level":"WARN"})");
  say(timeline, 7, 22, run::facts::kTrackFile,
      R"({"track":0,"path":"m.pt","file":"ab.pt","bytes":3,"kind":"artifact","artifact":{"name":"m"}})");
  say(timeline, 7, 23, run::facts::kTrackLoss, R"({"values":3,"facts":1})");
  say(timeline, 7, 24, run::facts::kTrackRow, R"({"track":5,"data":{"of":"nobody"}})");
  const auto run = tracked_runs(timeline).at(0);
  ASSERT_EQ(run.rows.size(), 1U);
  EXPECT_EQ(run.rows[0].step, -3);
  EXPECT_EQ(run.rows[0].data, R"({"s":"warm"})");
  ASSERT_EQ(run.alerts.size(), 1U);
  EXPECT_EQ(run.alerts[0].level, "WARN");
  ASSERT_EQ(run.files.size(), 1U);
  EXPECT_EQ(run.files[0].bytes, 3);
  EXPECT_EQ(run.files[0].artifact, R"({"name":"m"})");
  EXPECT_EQ(run.lost_values, 3);
  EXPECT_EQ(run.lost_facts, 1);
}

}  // namespace
}  // namespace flatout::analyse
