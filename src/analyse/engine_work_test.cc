#include "analyse/engine_work.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

#include "analyse/analyse.h"
#include "analyse/timeline_builder.h"

namespace flatout::analyse {
namespace {

using testing::HasSubstr;

// Milliseconds over all threads, as counters stand.
struct Counters {
  double read_busy = 0, read_blocked = 0, decode_busy = 0, decode_blocked = 0;
  double full = 0, starved = 0, waited_for = 0;
};

run::Fact told(double at_ms, const Counters& c, std::uint32_t loader = 1) {
  std::string json = R"({"loader":)" + std::to_string(loader) + R"(,"threads":2,"ahead":2)";
  const auto add = [&json](const char* name, double ms) {
    json += std::string(",\"") + name + "_ns\":" + std::to_string(ns(ms));
  };
  add("read_busy", c.read_busy);
  add("read_blocked", c.read_blocked);
  add("decode_busy", c.decode_busy);
  add("decode_blocked", c.decode_blocked);
  add("idle_full", c.full);
  add("idle_starved", c.starved);
  add("consumer_wait", c.waited_for);
  return {ns(at_ms), "engine", json + "}"};
}

double decoded_s(const run::FactList& facts, TimeWindow window) {
  const auto work = engine_work(facts.observed().engines, 1, window);
  return work && work->stages.size() == 2 ? work->stages[1].busy_s : -1;
}

TEST(EngineWork, IsThatOfTheWindowAsNearAsItWasTold) {
  const auto at = [](double ms, double decoded) { return told(ms, {.decode_busy = decoded}); };
  const run::FactList facts = {at(100, 1000), told(150, {.decode_busy = 9e6}, 2), at(200, 3000),
                               at(300, 6000), at(400, 10000)};
  EXPECT_DOUBLE_EQ(decoded_s(facts, {ns(210), ns(290)}), 3);
  EXPECT_DOUBLE_EQ(decoded_s(facts, {ns(200), ns(310)}), 7);
  EXPECT_DOUBLE_EQ(decoded_s(facts, {ns(210), ns(900)}), 7) << "it ended early";
  EXPECT_DOUBLE_EQ(decoded_s(facts, {ns(10), ns(190)}), 3) << "counters begin at 0";
  EXPECT_DOUBLE_EQ(decoded_s(facts, {ns(500), ns(600)}), 10) << "nothing within: all there is";
  const run::FactList anew = {at(100, 5000), at(200, 7000), at(300, 1000), at(400, 2000)};
  EXPECT_DOUBLE_EQ(decoded_s(anew, {ns(110), ns(390)}), 4) << "another engine took its place";
  EXPECT_FALSE(engine_work(facts.observed().engines, 3, {ns(1), ns(2)}));
}

TEST(EngineWork, WhatIsNoFigureIsLeftOut) {
  for (const char* json : {"[]", "{", R"({"loader":1,"threads":-4,"read_busy_ns":"x"})",
                           R"({"loader":1,"threads":1e99,"read_busy_ns":5})"}) {
    const auto work = engine_work(run::FactList{{1, "engine", json}}.observed().engines, 1, {0, 2});
    if (!work) continue;
    EXPECT_TRUE(work->stages.empty() && !work->threads && !work->idle_full_s) << json;
    EXPECT_FALSE(shares_of(*work));
  }
}

TEST(EngineWork, WaitingForACoreIsNotWaitingForFiles) {
  run::EngineWork work;
  work.stages = {{run::EnginePart::kRead, 1, 5}, {run::EnginePart::kDecode, 10, 10}};
  work.idle_starved_s = 4;
  work.idle_full_s = 70;
  const run::EngineShares shares = shares_of(work).value();
  // For each second of decoding one without a core: so it is with reading.
  EXPECT_DOUBLE_EQ(shares.files, 4 / 30.0);
  EXPECT_DOUBLE_EQ(shares.cores, 11 / 30.0);
  EXPECT_DOUBLE_EQ(shares.underrun, 4 / 30.0);
  EXPECT_EQ(shares.slowest, run::EnginePart::kDecode);
  EXPECT_DOUBLE_EQ(shares.slowest_share, 20 / 30.0);
}

// 60 steps of 20 ms of waiting and 10 of computing, 1.8 s.
run::Report report_of(const Counters& counters) {
  TimelineBuilder builder;
  builder.fact(TimelineBuilder::kPid, run::facts::kLoader,
               R"({"loader":1,"workers":0,"engine":"native","built_at":"/s/t.py:41"})");
  builder.iterator(1, 0);
  auto& facts = builder.timeline().processes[TimelineBuilder::kPid].facts;
  facts.push_back(told(500, {}));
  facts.push_back(told(2600, counters));
  LaneScript lane(500);
  lane.build(1, 1);
  for (int i = 0; i < 60; ++i) lane.draw(1, 20).train(10);
  return analyse(builder.lane(lane).timeline());
}

std::string because(const Counters& counters) {
  const run::Report report = report_of(counters);
  const auto found = std::ranges::find(report.findings, "input_bound", &run::Finding::id);
  EXPECT_NE(found, report.findings.end());
  EXPECT_EQ(found->cause, run::Cause::kNativeLoading);
  return found->summary;
}

TEST(NativeLoading, SaysWhereTheThreadsSpendTheirTime) {
  const Counters decoding = {.read_busy = 300,
                             .read_blocked = 40,
                             .decode_busy = 2400,
                             .decode_blocked = 10,
                             .full = 100,
                             .waited_for = 1150};
  EXPECT_THAT(because(decoding), HasSubstr("the native engine's threads cannot keep up "
                                           "(/s/t.py:41): decoding takes 88 % of their time."));
  EXPECT_THAT(
      because({.read_busy = 100, .read_blocked = 2400, .decode_busy = 500, .waited_for = 1150}),
      HasSubstr("they wait for files 80 % of their time."));
  EXPECT_THAT(because({.read_busy = 100,
                       .read_blocked = 90,
                       .decode_busy = 900,
                       .decode_blocked = 810,
                       .waited_for = 1150}),
              HasSubstr("decoding takes 90 % of their time, and for 47 % they have no core."));
  EXPECT_THAT(because({.read_busy = 100, .decode_busy = 900, .starved = 2000, .waited_for = 1150}),
              HasSubstr("threads are idle 67 % of their time while the training waits."));
  EXPECT_THAT(because({.read_busy = 100, .decode_busy = 900, .full = 2000, .waited_for = 10}),
              HasSubstr("batches wait for the program's own code around the native engine"));
  const run::Report report = report_of(decoding);
  const run::EngineWork& work = report.loader->engine_work.value();
  EXPECT_EQ(work.threads, 2);
  ASSERT_EQ(work.stages.size(), 2U) << "transforms were not told of";
  EXPECT_DOUBLE_EQ(work.stages[1].busy_s, 2.4);
  const auto& evidence = report.findings.front().evidence;
  const auto decode = std::ranges::find(evidence, "loader.engine.decode", &run::Evidence::metric);
  ASSERT_NE(decode, evidence.end());
  EXPECT_NEAR(decode->value, 0.88, 0.005);
}

}  // namespace
}  // namespace flatout::analyse
