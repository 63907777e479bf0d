#include "report/accuracy_view.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "report/golden_test.h"

namespace flatout::report {
namespace {

run::Accuracy accuracy() {
  run::Accuracy out;
  out.tunes = 3;
  out.oldest = 1'700'000'000'000'000'000;
  out.newest = 1'700'200'000'000'000'000;
  out.knobs = {{.knob = "dataloader.num_workers",
                .predictions = 8,
                .median_error = 0.031,
                .worst_error = 0.124,
                .bias = 0.012,
                .within = 6,
                .with_interval = 8},
               {.knob = "precision.tf32",
                .predictions = 1,
                .median_error = 0.2,
                .worst_error = 0.2,
                .bias = -0.2,
                .within = 0,
                .with_interval = 0}};
  out.all = {.knob = "",
             .predictions = 9,
             .median_error = 0.034,
             .worst_error = 0.2,
             .bias = 0.01,
             .within = 6,
             .with_interval = 8};
  return out;
}

TEST(AccuracyText, IsATableOfKnobs) {
  EXPECT_EQ(accuracy_to_text(accuracy()),
            "Predicted against measured gains: 9 in 3 tunes, from 2023-11-14 to 2023-11-17\n"
            "off by 3.4 % (median); 1.0 % too high (median)\n"
            "\n"
            "knob                              predictions   median    worst   measured inside "
            "the predicted interval\n"
            "dataloader.num_workers                      8    3.1 %     12 %   6 of 8\n"
            "precision.tf32                              1     20 %     20 %   -\n"
            "all                                         9    3.4 %     20 %   6 of 8\n");
}

TEST(AccuracyText, ReadsAsItsGoldenPage) {
  expect_golden("accuracy", [](const Style& style) { return accuracy_to_text(accuracy(), style); });
}

TEST(AccuracyText, WithoutAPredictionItSaysHowToGetOne) {
  run::Accuracy none;
  none.problems = {"x is no report of a tune"};
  EXPECT_EQ(accuracy_to_text(none),
            "no stored tune holds a prediction that was measured; flatout tune -- CMD makes some\n"
            "left out: x is no report of a tune\n");
}

TEST(AccuracyJson, LeavesOutWhatIsNotKnown) {
  const auto json = nlohmann::json::parse(accuracy_to_json(accuracy()));
  EXPECT_EQ(json["schema"], "flatout.accuracy/1");
  EXPECT_EQ(json["knobs"][0]["within_interval"], 6);
  EXPECT_EQ(json["all"]["bias"], 0.01);
  EXPECT_FALSE(json["all"].contains("knob"));
  const auto none = nlohmann::json::parse(accuracy_to_json({}));
  EXPECT_FALSE(none["all"].contains("median_error"));
  EXPECT_FALSE(none.contains("oldest"));
}

}  // namespace
}  // namespace flatout::report
