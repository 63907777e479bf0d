#include "apply/accuracy.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <random>

namespace flatout::apply {
namespace {

using testing::ElementsAre;
using testing::Field;

TEST(Accuracy, IsOfWhatWasPredictedAndMeasured) {
  const std::vector<StoredTune> tunes = {
      {.ended = 200,
       .predictions = {{.knob = "a", .predicted = 2.2, .measured = 2, .interval = {{1.9, 2.4}}},
                       {.knob = "b", .predicted = 1, .measured = 2, .interval = {{0.9, 1.1}}}}},
      {.ended = 100,
       .predictions = {{.knob = "a", .predicted = 1.9, .measured = 2, .interval = {}}}},
      {.ended = 50, .predictions = {}},  // nothing was predicted
      {.ended = {}, .predictions = {{.knob = "a", .predicted = 3, .measured = 2, .interval = {}}}},
  };
  const auto out = accuracy_of(tunes);
  EXPECT_EQ(out.tunes, 3U);
  EXPECT_EQ(out.oldest, 100);
  EXPECT_EQ(out.newest, 200);
  EXPECT_EQ(out.all.predictions, 4U);
  EXPECT_NEAR(out.all.median_error, (0.1 + 0.5) / 2, 1e-12);  // 0.05, 0.1, 0.5, 0.5
  EXPECT_NEAR(out.all.bias, (0.1 - 0.05) / 2, 1e-12);
  EXPECT_THAT(out.knobs, ElementsAre(Field(&run::AccuracyRow::knob, "a"),
                                     Field(&run::AccuracyRow::knob, "b")));
  const auto& a = out.knobs[0];
  EXPECT_NEAR(a.median_error, 0.1, 1e-12);
  EXPECT_NEAR(a.worst_error, 0.5, 1e-12);
  EXPECT_EQ(a.within, 1U);
  EXPECT_EQ(a.with_interval, 1U);
  EXPECT_NEAR(out.knobs[1].bias, -0.5, 1e-12);
  EXPECT_EQ(out.knobs[1].within, 0U);
  EXPECT_EQ(accuracy_of({}).all.predictions, 0U);
}

constexpr const char* kDocument = R"({"schema":"flatout.tune/1","ended_ns":17,"trials":[
  {"knob":"a","predicted_speedup":1.5,"predicted_interval":[1.4,1.6],"speedup":1.45},
  {"knob":"b","predicted_speedup":1.5},
  {"knob":"c","speedup":1.5},
  {"knob":"d","predicted_speedup":-1,"speedup":1.5},
  {"knob":7,"predicted_speedup":1,"speedup":1.5},
  {"knob":"e","predicted_speedup":"1","speedup":1.5}, 7, null]})";

TEST(Accuracy, ReadsAReportAndLeavesOutRowsWithoutBothFigures) {
  const auto tune = parse_tune(kDocument, "t");
  ASSERT_TRUE(tune);
  EXPECT_EQ(tune->ended, 17);
  ASSERT_EQ(tune->predictions.size(), 1U);
  EXPECT_EQ(tune->predictions[0].interval, std::pair(1.4, 1.6));
  for (const char* bad : {"", "{}", "[]", "nonsense", R"({"schema":"flatout.tune/2","trials":[]})",
                          R"({"schema":"flatout.tune/1","trials":{}})"}) {
    const auto none = parse_tune(bad, "t");
    ASSERT_FALSE(none) << bad;
    EXPECT_THAT(none.error().message, testing::HasSubstr("t is no report"));
  }
}

TEST(AccuracyProperty, FlippedBytesNeverCrash) {
  std::mt19937 random(5);
  for (int round = 0; round < 2000; ++round) {
    std::string changed = kDocument;
    changed[random() % changed.size()] = static_cast<char>(random());
    const auto tune = parse_tune(changed, "t");
    if (!tune) continue;
    for (const auto& one : tune->predictions) ASSERT_GT(one.predicted * one.measured, 0);
  }
}

}  // namespace
}  // namespace flatout::apply
