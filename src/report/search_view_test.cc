// A search as text and as JSON.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <nlohmann/json.hpp>

#include "report/golden_test.h"
#include "report/search_json.h"
#include "report/search_text.h"

namespace flatout::report {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;
using Kind = run::SearchSetting::Kind;

run::SearchPointReport point(int number, const std::string& lr, std::vector<double> values) {
  run::SearchPointReport out;
  out.number = number;
  out.settings = {{Kind::kArgument, "--lr", lr},
                  {Kind::kEnvironment, "OMP_NUM_THREADS", "2"},
                  {Kind::kKnob, "dataloader.num_workers", "4"}};
  for (const double value : values) {
    run::SearchResult result;
    result.rung = static_cast<int>(out.results.size());
    result.steps = result.rung == 0 ? 20 : 60;
    result.value = value;
    result.run = "r" + std::to_string(number);
    result.seconds = 2;
    out.results.push_back(result);
  }
  return out;
}

run::SearchReport search() {
  run::SearchReport out;
  out.id = "k7f2";
  out.steps = {20, 60};
  out.launcher = "local";
  out.baseline.steps = 20;
  out.baseline.value = 100;
  out.points = {point(1, "0.1", {300}), point(2, "0.2", {150, 160}), point(3, "0.3", {200, 210})};
  run::SearchPointReport failed = point(4, "0.4", {});
  run::SearchResult result;
  result.steps = 20;
  result.failure = "exit status 1 (no data)";
  failed.results.push_back(result);
  out.points.push_back(failed);
  out.final.emplace();
  out.final->number = 3;
  out.final->steps = 60;
  out.final->values = {200, 210, 220};
  out.final->baseline_values = {100, 105, 110};
  out.final->speedup = run::Speedup{2, 1.9, 2.1};
  out.final->confirmed = true;
  out.seconds = 250;
  return out;
}

// As one line, however it is wrapped.
std::string unwrapped(std::string text) {
  for (std::size_t at = text.find('\n'); at != std::string::npos; at = text.find('\n', at)) {
    text[at] = ' ';
  }
  return text;
}

TEST(SearchText, TheHighestRungComesFirstHoweverGoodALowerOneWas) {
  const std::string text = search_closing(search(), "./train --lr=0.3");
  const auto at = [&](const char* words) { return text.find(words); };
  EXPECT_LT(at("#3 "), at("#2 "));
  EXPECT_LT(at("#2 "), at("#1 "));
  EXPECT_EQ(at("#4"), std::string::npos);  // it has no value
  EXPECT_THAT(text, HasSubstr("4 points in 6 runs, 4 min 10 s. The best of them:"));
  EXPECT_THAT(text, HasSubstr("     60  210 samples/s       #3    --lr=0.3 OMP_NUM_THREADS=2 "
                              "num_workers=4\n"));
  EXPECT_THAT(unwrapped(text),
              HasSubstr("confirmed: #3 against the program as it is, 3 runs each of 60 steps, in "
                        "turns: 210 samples/s against 105 samples/s, x2.00 [1.90, 2.10]"));
  EXPECT_THAT(text, HasSubstr("use it:   ./train --lr=0.3\n"));
}

TEST(SearchText, ACommandThatIsCopiedLosesNoCharacter) {
  const std::string command = "NAME='caf\xc3\xa9' ./train 'a\nb'";
  EXPECT_THAT(search_closing(search(), command),
              HasSubstr("use it:   NAME=$'caf\\303\\251' ./train $'a\\012b'\n"));
  EXPECT_THAT(search_closing(search(), command, {.unicode = true}),
              HasSubstr("use it:   NAME='caf\xc3\xa9' ./train $'a\\012b'\n"));
  EXPECT_EQ(nlohmann::json::parse(search_to_json(search(), command, ""))["command"], command);
}

TEST(SearchText, ReadsAsItsGoldenPage) {
  expect_golden("search", [](const Style& style) {
    run::SearchReport report = search();
    report.notes = {"what the trials wrote in this folder was thrown away: checkpoints/last.pt"};
    return search_plan_line(report, 32, style) + "\n" + search_baseline_line(report, style) + "\n" +
           search_point_line(report, report.points[3], style) + "\n" +
           search_closing(report, "./train --lr=0.3 --workers 4", style);
  });
}

TEST(SearchText, ALossOfSpeedIsSoManyTimesSlower) {
  run::SearchReport slower = search();
  slower.final->speedup = run::Speedup{0.25, 0.2, 0.5};
  EXPECT_THAT(search_closing(slower, "x"), HasSubstr("4.00x slower [2.00, 5.00]"));
}

TEST(SearchText, WhatIsNotConfirmedIsNotCalledBetter) {
  run::SearchReport luck = search();
  luck.final->confirmed = false;
  luck.final->speedup = run::Speedup{1.1, 0.9, 1.3};
  const std::string text = search_closing(luck, "./train --lr=0.3");
  EXPECT_THAT(text, HasSubstr("not confirmed: #3"));
  EXPECT_THAT(text, HasSubstr("it was not shown to be better"));
  EXPECT_THAT(text, Not(HasSubstr("use it")));
  luck.interrupted = true;
  luck.final.reset();
  EXPECT_THAT(search_closing(luck, "./train"), HasSubstr("interrupted: nothing was repeated"));
}

TEST(SearchText, AFailedPointIsOneLineWithItsReason) {
  EXPECT_EQ(search_point_line(search(), search().points[3]),
            "     20  failed              #4    --lr=0.4 OMP_NUM_THREADS=2 num_workers=4: exit "
            "status 1 (no data)");
}

TEST(SearchText, LoggedValuesHaveNoUnit) {
  run::SearchReport logged = search();
  logged.objective = {
      .kind = run::SearchObjective::Kind::kLogged, .logged = "loss", .maximise = false};
  logged.final->speedup.reset();
  logged.final->difference = run::SearchDifference{-0.5, -0.75, -0.25};
  const std::string text = search_closing(logged, "./train");
  EXPECT_THAT(unwrapped(text), HasSubstr(", difference -0.5 [-0.75, -0.25]"));
  EXPECT_THAT(text, HasSubstr("     60  160                 #2"));
  EXPECT_LT(text.find("#2 "), text.find("#3 "));  // the least is the best
  EXPECT_THAT(search_plan_line(logged, 9), HasSubstr("up to 9 points by log:loss (the least)"));
}

TEST(SearchJson, HoldsWhatWasMeasuredAndNothingElse) {
  const auto json = nlohmann::json::parse(search_to_json(search(), "./train --lr=0.3", ""));
  EXPECT_EQ(json["schema"], "flatout.search/1");
  EXPECT_EQ(json["best"], 3);
  EXPECT_EQ(json["points"][2]["arguments"], (nlohmann::json{{"--lr", 0.3}}));
  EXPECT_EQ(json["points"][2]["knobs"], (nlohmann::json{{"dataloader.num_workers", 4}}));
  EXPECT_EQ(json["points"][3]["results"][0]["failure"], "exit status 1 (no data)");
  EXPECT_FALSE(json["points"][3]["results"][0].contains("value"));
  EXPECT_EQ(json["final"]["speedup"], 2.0);
  for (const char* absent : {"plan", "interrupted", "out_of_time", "notes"}) {
    EXPECT_FALSE(json.contains(absent)) << absent;
  }
  run::SearchReport none = search();
  none.points.clear();
  none.final.reset();
  const auto empty = nlohmann::json::parse(search_to_json(none, "", ""));
  EXPECT_FALSE(empty.contains("best") || empty.contains("final") || empty.contains("command"));
}

}  // namespace
}  // namespace flatout::report
