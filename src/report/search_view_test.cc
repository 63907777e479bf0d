// A search as text and as JSON.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <nlohmann/json.hpp>

#include "report/golden_test.h"
#include "report/search_json.h"
#include "report/search_text.h"
#include "report/several_examples.h"

namespace flatout::report {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;
using Kind = run::SearchSetting::Kind;

// As one line, however it is wrapped.
std::string unwrapped(std::string text) {
  for (std::size_t at = text.find('\n'); at != std::string::npos; at = text.find('\n', at)) {
    text[at] = ' ';
  }
  return text;
}

TEST(SearchText, TheHighestRungComesFirstHoweverGoodALowerOneWas) {
  const std::string text = search_closing(searched_example(), "./train --lr=0.3");
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
  EXPECT_THAT(search_closing(searched_example(), command),
              HasSubstr("use it:   NAME=$'caf\\303\\251' ./train $'a\\012b'\n"));
  EXPECT_THAT(search_closing(searched_example(), command, {.unicode = true}),
              HasSubstr("use it:   NAME='caf\xc3\xa9' ./train $'a\\012b'\n"));
  EXPECT_EQ(nlohmann::json::parse(search_to_json(searched_example(), command, ""))["command"],
            command);
}

TEST(SearchText, ReadsAsItsGoldenPage) {
  expect_golden("search", [](const Style& style) {
    run::SearchReport report = searched_example();
    report.notes = {"what the trials wrote in this folder was thrown away: checkpoints/last.pt"};
    return search_plan_line(report, 32, style) + "\n" + search_baseline_line(report, style) + "\n" +
           search_point_line(report, report.points[3], style) + "\n" +
           search_closing(report, "./train --lr=0.3 --workers 4", style);
  });
}

TEST(SearchText, ALossOfSpeedIsSoManyTimesSlower) {
  run::SearchReport slower = searched_example();
  slower.final->speedup = run::Speedup{0.25, 0.2, 0.5};
  EXPECT_THAT(search_closing(slower, "x"), HasSubstr("4.00x slower [2.00, 5.00]"));
}

TEST(SearchText, WhatIsNotConfirmedIsNotCalledBetter) {
  run::SearchReport luck = searched_example();
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
  EXPECT_EQ(search_point_line(searched_example(), searched_example().points[3]),
            "     20  failed              #4    --lr=0.4 OMP_NUM_THREADS=2 num_workers=4: exit "
            "status 1 (no data)");
}

TEST(SearchText, LoggedValuesHaveNoUnit) {
  run::SearchReport logged = searched_example();
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
  const auto json =
      nlohmann::json::parse(search_to_json(searched_example(), "./train --lr=0.3", ""));
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
  run::SearchReport none = searched_example();
  none.points.clear();
  none.final.reset();
  const auto empty = nlohmann::json::parse(search_to_json(none, "", ""));
  EXPECT_FALSE(empty.contains("best") || empty.contains("final") || empty.contains("command"));
}

}  // namespace
}  // namespace flatout::report
