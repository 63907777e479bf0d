#include "analyse/knob_outcomes.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "run/facts.h"

namespace flatout::analyse {
namespace {

run::Fact fact(const std::string& json) {
  return {.t_ns = 1, .key = std::string(run::facts::kKnob), .json = json};
}

run::Timeline with_plan(const std::string& plan) {
  run::Timeline timeline;
  timeline.info.plan_json = plan;
  return timeline;
}

TEST(KnobOutcomes, NoneWithoutAPlan) {
  run::Timeline timeline;
  timeline.processes[7].facts = {fact(R"({"knob":"a","applied":true})")};
  EXPECT_TRUE(knob_outcomes(timeline, 7).empty());
  for (const char* odd : {"", "[1]", "{", "3"}) {
    EXPECT_TRUE(knob_outcomes(with_plan(odd), 7).empty()) << odd;
  }
}

TEST(KnobOutcomes, InThePlansOrderAndTheLastWordCounts) {
  auto timeline = with_plan(R"({"z":6,"a":true,"never":"x"})");
  timeline.processes[7].facts = {
      fact(R"({"knob":"z","value":6,"applied":false,"reason":"too early"})"), fact("no json"),
      fact(R"({"knob":"z","value":6,"from":0,"applied":true})"), fact(R"({"knob":"other"})")};
  timeline.processes[5].facts = {fact(R"({"knob":"z","applied":false,"reason":"not here"})"),
                                 fact(R"({"knob":"a","applied":false,"reason":"no GPU"})")};
  const auto found = knob_outcomes(timeline, 7);
  ASSERT_EQ(found.size(), 3U);
  EXPECT_EQ(found[0].asked, (run::KnobSetting{"z", "6"}));
  EXPECT_TRUE(found[0].applied);
  EXPECT_EQ(found[0].from, "0");
  EXPECT_EQ(found[0].reason, "");
  EXPECT_FALSE(found[1].applied);
  EXPECT_EQ(found[1].reason, "no GPU");
  EXPECT_EQ(found[2].asked.value, "\"x\"");
  EXPECT_EQ(found[2].reason, "the program did not come to it");
}

TEST(KnobOutcomes, HowFarANumberMayGoIsHeardWhereItIsOne) {
  for (const auto& [text, most] : std::vector<std::pair<std::string, std::optional<std::int64_t>>>{
           {"1", 1},
           {"0", 0},
           {"-1", {}},
           {"1.5", {}},
           {"\"1\"", {}},
           {"18446744073709551615", {}}}) {
    auto timeline = with_plan(R"({"z":6})");
    timeline.processes[7].facts = {
        fact(R"({"knob":"z","applied":false,"reason":"r","most":)" + text + "}")};
    EXPECT_EQ(knob_outcomes(timeline, 7)[0].most, most) << text;
  }
}

TEST(KnobOutcomes, WhatOneRankGaveUpWasNotSet) {
  auto timeline = with_plan(R"({"a":true,"b":true,"c":true})");
  const auto rank = [](const char* json) {
    return run::Fact{.t_ns = 0, .key = std::string(run::facts::kRank), .json = json};
  };
  timeline.processes[7].facts = {rank(R"({"rank":0,"world_size":2})"),
                                 fact(R"({"knob":"a","applied":true})"),
                                 fact(R"({"knob":"b","applied":true})"),
                                 fact(R"({"knob":"c","applied":false,"reason":"no GPU"})")};
  timeline.processes[8].facts = {rank(R"({"rank":1,"world_size":2})"),
                                 fact(R"({"knob":"a","applied":false,"reason":"it overflows"})"),
                                 fact(R"({"knob":"c","applied":true})")};
  timeline.processes[9].facts = {fact(R"({"knob":"b","applied":false,"reason":"no rank"})")};
  const auto found = knob_outcomes(timeline, 7);
  ASSERT_EQ(found.size(), 3U);
  EXPECT_FALSE(found[0].applied);
  EXPECT_EQ(found[0].reason, "rank 1: it overflows");
  EXPECT_TRUE(found[1].applied) << "another program of the run is no rank";
  EXPECT_EQ(found[2].reason, "no GPU");
}

}  // namespace
}  // namespace flatout::analyse
