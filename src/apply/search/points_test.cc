#include "apply/search/points.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <set>

namespace flatout::apply {
namespace {

SearchSpace space(const std::string& text) {
  auto parsed = parse_space(text, "space.toml");
  EXPECT_TRUE(parsed) << (parsed ? "" : parsed.error().message);
  return parsed ? *parsed : SearchSpace{};
}

// Written down from the first version: another number here is another search for the
// same seed.
TEST(SplitMix64, GivesThePublishedNumbers) {
  SplitMix64 random(1234567);
  EXPECT_EQ(random.next(), 6457827717110365317U);
  EXPECT_EQ(random.next(), 3203168211198807973U);
  for (int i = 0; i < 1000; ++i) {
    const double unit = random.unit();
    ASSERT_TRUE(unit >= 0 && unit < 1);
  }
}

TEST(Points, TheSameSeedGivesTheSamePoints) {
  auto one = space(
      "[arguments]\n\"--lr\" = {from = 1e-4, to = 0.1, scale = \"log\"}\n"
      "\"--workers\" = {values = [0, 2, 4]}\n");
  auto other = one;
  PointSequence a(one);
  PointSequence b(other);
  other.seed = 1;
  PointSequence c(other);
  int same = 0;
  for (int i = 0; i < 50; ++i) {
    const auto point = a.next();
    EXPECT_EQ(point, b.next());
    if (point == c.next()) ++same;
  }
  EXPECT_LT(same, 5);
}

TEST(Points, AFiniteSpaceIsGivenOnceAndThenNoMore) {
  const auto small = space(
      "[arguments]\na = {values = [1, 2, \"x\"]}\n[environment]\nB = {from = "
      "2, to = 8, step = 3}\n");
  EXPECT_EQ(count_points(small), 9U);
  PointSequence points(small);
  std::set<std::string> given;
  while (const auto point = points.next()) given.insert(run::point_text(*point));
  EXPECT_EQ(given.size(), 9U);
  EXPECT_TRUE(given.contains("a=x B=5")) << *given.begin();
}

TEST(Points, RangesReachBothEndsAndNothingBeyond) {
  const Range whole{.from = 16, .to = 256, .step = 16, .log = false, .whole = true};
  EXPECT_EQ(value_in(whole, 0), "16");
  EXPECT_EQ(value_in(whole, 0.999999), "256");
  const Range tenth{.from = 0, .to = 0.3, .step = 0.1, .log = false, .whole = false};
  EXPECT_EQ(value_in(tenth, 0.999999), "0.3");
  const Range log{.from = 1e-4, .to = 1e-1, .step = 0, .log = true, .whole = false};
  EXPECT_EQ(value_in(log, 0), "0.0001");
  EXPECT_EQ(value_in(log, 1.0 / 3), "0.001");
  const Range log_whole{.from = 1, .to = 64, .step = 0, .log = true, .whole = true};
  EXPECT_EQ(value_in(log_whole, 0.5), "8");
  SplitMix64 random(7);
  int low = 0;
  for (int i = 0; i < 1000; ++i) {
    const double value = std::stod(value_in(log, random.unit()));
    ASSERT_TRUE(value >= log.from && value <= log.to);
    low += value < 1e-3 ? 1 : 0;
  }
  EXPECT_NEAR(low, 333, 60);  // by factor: each of three decades alike
}

}  // namespace
}  // namespace flatout::apply
