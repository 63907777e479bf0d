#include "report/json.h"

#include <gtest/gtest.h>

#include <cmath>
#include <csignal>
#include <limits>
#include <nlohmann/json.hpp>

#include "report/examples.h"

namespace flatout::report {
namespace {

nlohmann::json json_of(const run::Report& report) { return nlohmann::json::parse(to_json(report)); }

nlohmann::json example(const std::string& name) {
  for (const auto& one : example_reports()) {
    if (one.name == name) return json_of(one.report);
  }
  ADD_FAILURE() << "no example " << name;
  return {};
}

TEST(Json, RunOfAFinishedProgram) {
  EXPECT_EQ(example("input_bound")["run"], nlohmann::json::parse(R"({
    "id":"k7f2","command":["python","/home/u/vision/train.py","--epochs","2"],
    "state":"finished","exit_code":0,"survivors":[],"started":"2025-11-21T02:02:50.123Z",
    "duration_s":214.2,"host":"node1","cwd":"/home/u/vision","flatout_version":"0.1.0"})"));
}

TEST(Json, ExitCodeOrSignalNeverBoth) {
  const auto failed = example("failed")["run"];
  EXPECT_EQ(failed["exit_code"], 3);
  EXPECT_FALSE(failed.contains("signal"));
  const auto killed = example("killed")["run"];
  EXPECT_EQ(killed["signal"], "SIGKILL");
  EXPECT_FALSE(killed.contains("exit_code"));
  for (const char* open : {"lost", "running"}) {
    EXPECT_FALSE(example(open)["run"].contains("exit_code")) << open;
    EXPECT_FALSE(example(open)["run"].contains("signal")) << open;
  }
  EXPECT_EQ(example("lost")["run"]["survivors"], (std::vector<int>{4711, 4712}));
}

TEST(Json, FindingWithAdvice) {
  EXPECT_EQ(example("input_bound")["findings"][0]["advice"][1], nlohmann::json::parse(R"json({
    "knob":"dataloader.persistent_workers","from":false,"to":true,"predicted_speedup":1.04,
    "interval":[1.01,1.06],"risk":"same_maths","how":"DataLoader(..., persistent_workers=True)",
    "at":"/home/u/vision/train.py:41"})json"));
  const auto first = example("input_bound")["findings"][0]["advice"][0];
  EXPECT_EQ(first["to"], 8);
  EXPECT_EQ(first["other_draws"], true);
}

TEST(Json, WhatIsNotMeasuredIsAbsent) {
  run::Report report;
  report.run.id = "aaaa";
  report.steps = run::StepsReport{};
  report.steps->median_ms = std::numeric_limits<double>::quiet_NaN();
  report.verdict.finding = "unexplained";
  run::Finding finding;
  finding.id = "x";
  run::Advice advice;
  advice.knob = "k";
  advice.to = "two words";
  advice.risk = run::Risk::kRounding;
  finding.advice = {advice};
  report.findings = {finding};
  const auto json = json_of(report);
  EXPECT_EQ(json["steps"], nlohmann::json::parse(R"({"kind":"train","count":0,"steady_count":0})"));
  EXPECT_EQ(json["host"], nlohmann::json::object());
  EXPECT_EQ(json["findings"][0]["advice"][0],
            nlohmann::json::parse(R"({"knob":"k","to":"two words","risk":"rounding"})"));
  EXPECT_FALSE(json.contains("loader"));
  EXPECT_FALSE(json["run"].contains("started"));
}

TEST(Json, TheEnginesStagesByName) {
  run::Report report;
  report.loader.emplace();
  EXPECT_FALSE(json_of(report)["loader"].contains("engine_stages")) << "not told is not 0";
  run::EngineWork work;
  work.threads = 2;
  work.stages = {{run::EnginePart::kRead, 0.5, 1.5}, {run::EnginePart::kDecode, 3, std::nan("")}};
  work.idle_starved_s = 0.25;
  report.loader->engine_work = work;
  const auto json = json_of(report)["loader"];
  EXPECT_EQ(
      json["engine_stages"],
      nlohmann::json::parse(R"({"read":{"busy_s":0.5,"blocked_s":1.5},"decode":{"busy_s":3.0}})"));
  EXPECT_EQ(json["engine_idle_s"],
            nlohmann::json::parse(R"({"starved":0.25})"));  // words: contract
  EXPECT_EQ(json["threads"], 2);
  EXPECT_FALSE(json.contains("ahead"));
}

TEST(Json, WhatWasTrackedStandsThere) {
  EXPECT_FALSE(example("no_steps").contains("tracked"));
  const auto tracked = example("only_tracked").at("tracked");
  ASSERT_EQ(tracked.size(), 2U);
  EXPECT_EQ(tracked[0].at("points"), 4500);
  EXPECT_EQ(tracked[0].at("values")[0].at("last"), 0.9375);
  EXPECT_FALSE(tracked[0].at("values")[1].contains("last"));
  EXPECT_FALSE(tracked[1].contains("values"));
}

TEST(Json, StepsAreAbsentWithoutSteps) { EXPECT_FALSE(example("no_steps").contains("steps")); }

TEST(Json, BytesThatAreNotUtf8DoNotThrow) {
  run::Report report;
  report.run.command = {"a\xff"};
  EXPECT_EQ(json_of(report)["run"]["command"][0], "a\xef\xbf\xbd");
}

}  // namespace
}  // namespace flatout::report
