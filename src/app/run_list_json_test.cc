#include "app/run_list_json.h"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

namespace flatout::app {
namespace {

TEST(RunListJson, HoldsWhatIsKnown) {
  store::CatalogEntry run;
  run.id = "k7f2";
  run.name = "base \"quoted\" \x01 \xff";
  run.state = run::RunState::kFinished;
  run.started_wall_ns = 1'763'690'570'123'000'000;
  run.duration_ns = 1'500'000'000;
  run.bytes = 1234;
  run.meta.tags = {"a", "b"};
  run.meta.outcome = store::RunOutcome{};
  run.meta.outcome->finding = "input_bound";
  run.meta.outcome->steps = 312;
  const auto json = nlohmann::json::parse(run_list_json({run}));
  EXPECT_EQ(json["schema"], "flatout.ls/1");
  const auto& found = json["runs"][0];
  EXPECT_EQ(found["state"], "finished");
  EXPECT_EQ(found["started"], "2025-11-21T02:02:50.123Z");
  EXPECT_EQ(found["duration_s"], 1.5);
  EXPECT_EQ(found["verdict"]["finding"], "input_bound");
  EXPECT_EQ(found["steps"], 312);
  EXPECT_FALSE(found.contains("median_ms")) << "absent, not null";
  EXPECT_FALSE(found.contains("note"));
}

TEST(RunListJson, ADamagedRunHasItsProblemAndNoTimes) {
  store::CatalogEntry run;
  run.id = "k7f2";
  run.problem = "its log is damaged";
  const auto found = nlohmann::json::parse(run_list_json({run}))["runs"][0];
  EXPECT_EQ(found["state"], "damaged");
  EXPECT_EQ(found["problem"], "its log is damaged");
  EXPECT_FALSE(found.contains("started"));
  EXPECT_FALSE(found.contains("verdict"));
  EXPECT_TRUE(nlohmann::json::parse(run_list_json({}))["runs"].empty());
}

TEST(RunListJson, ARunThatStopAfterEndedIsFinishedAsItsReportSays) {
  store::CatalogEntry run;
  run.id = "k7f2";
  run.state = run::RunState::kKilled;
  EXPECT_EQ(state_of(run), "killed");
  run.meta.outcome = store::RunOutcome{};
  EXPECT_EQ(state_of(run), "killed");
  run.meta.outcome->stopped_after = 25;
  EXPECT_EQ(state_of(run), "finished");
}

}  // namespace
}  // namespace flatout::app
