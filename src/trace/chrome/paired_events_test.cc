#include "trace/chrome/paired_events.h"

#include <gtest/gtest.h>

#include <tuple>
#include <vector>

#include "trace/byte_source.h"
#include "trace/chrome/read_events.h"
#include "trace/kineto/timeline_builder.h"

namespace flatout::trace {
namespace {

using Seen = std::tuple<char, std::string, std::int64_t, std::int64_t>;

class Kept : public ChromeSink {
 public:
  bool event(const ChromeEvent& event) override {
    seen.emplace_back(event.phase, event.name, event.begin_ns.value_or(-1),
                      event.duration_ns.value_or(-1));
    return true;
  }
  void device(const ChromeDevice&) override {}
  void process(const ChromeProcess&) override {}

  std::vector<Seen> seen;
};

std::pair<std::vector<Seen>, std::size_t> read_pairs(std::string_view json) {
  Kept kept;
  PairedEvents pairs(kept);
  MemoryBytes bytes(json);
  EXPECT_TRUE(read_chrome(bytes, pairs));
  return {kept.seen, pairs.unpaired()};
}

TEST(PairedEvents, EndsCloseTheLastOfTheirThread) {
  const auto [seen, unpaired] = read_pairs(R"([
    {"ph":"B","name":"outer","pid":1,"tid":1,"ts":1},
    {"ph":"B","name":"other","pid":1,"tid":2,"ts":2},
    {"ph":"B","name":"inner","pid":1,"tid":1,"ts":3},
    {"ph":"X","name":"whole","pid":1,"tid":1,"ts":4,"dur":1},
    {"ph":"E","pid":1,"tid":1,"ts":5},
    {"ph":"E","pid":1,"tid":1,"ts":7.5},
    {"ph":"E","pid":1,"tid":2,"ts":9}])");
  EXPECT_EQ(seen, (std::vector<Seen>{{'X', "whole", 4000, 1000},
                                     {'X', "inner", 3000, 2000},
                                     {'X', "outer", 1000, 6500},
                                     {'X', "other", 2000, 7000}}));
  EXPECT_EQ(unpaired, 0U);
}

TEST(PairedEvents, WhatHasNoPairIsCounted) {
  const auto [seen, unpaired] = read_pairs(R"([
    {"ph":"E","pid":1,"tid":1,"ts":1},
    {"ph":"B","name":"never","pid":1,"tid":1,"ts":3},
    {"ph":"B","name":"no time","pid":1,"tid":2}])");
  EXPECT_TRUE(seen.empty());
  EXPECT_EQ(unpaired, 3U);
}

TEST(PairedEvents, AnEndBeforeItsBeginHasNoLength) {
  const auto [seen, unpaired] = read_pairs(R"([
    {"ph":"B","name":"a","pid":1,"tid":1,"ts":9e18},
    {"ph":"B","name":"b","pid":1,"tid":1,"ts":5},
    {"ph":"E","pid":1,"tid":1,"ts":-3}])");
  EXPECT_EQ(seen, (std::vector<Seen>{{'X', "b", 5000, 0}}));
}

TEST(PairedEvents, NoMoreAreHeldThanItsBound) {
  Kept kept;
  PairedEvents pairs(kept);
  ChromeEvent event;
  event.phase = 'B';
  event.begin_ns = 1;
  for (std::size_t i = 0; i < PairedEvents::kMostOpen + 5; ++i) pairs.event(event);
  event.phase = 'E';
  for (std::size_t i = 0; i < PairedEvents::kMostOpen; ++i) pairs.event(event);
  EXPECT_EQ(kept.seen.size(), PairedEvents::kMostOpen);
  EXPECT_EQ(pairs.unpaired(), 5U);
}

}  // namespace
}  // namespace flatout::trace
