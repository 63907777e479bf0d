#include "serve/lanes/lane_spans.h"

#include <gtest/gtest.h>

#include <random>

namespace flatout::serve {
namespace {

TEST(LaneSpans, PutsTogetherWhatIsShorterThanAPixel) {
  LaneSpans lane({0, 1000}, 10);
  lane.add(-50, 200, 1);
  for (int i = 0; i < 8; ++i) lane.add(300 + i * 10, 305 + i * 10, i == 3 ? 2U : 3U);
  lane.add(390, 398, 2);
  lane.add(950, 5000, 4);
  const auto spans = lane.taken();
  ASSERT_EQ(spans.size(), 3U);
  EXPECT_EQ(spans[0].begin_ns, 0);
  EXPECT_EQ(spans[0].end_ns, 200);
  EXPECT_EQ(spans[1].count, 9U);
  EXPECT_EQ(spans[1].filled_ns, 48);
  EXPECT_EQ(spans[1].name, 2U);  // the longest one's
  EXPECT_EQ(spans[1].end_ns, 398);
  EXPECT_EQ(spans[2].end_ns, 1000);
}

TEST(LaneSpans, IsBoundedInOrderAndFillsNoMoreThanThereIs) {
  std::mt19937_64 random(7);
  for (int turn = 0; turn < 200; ++turn) {
    constexpr std::size_t kColumns = 50;
    LaneSpans lane({1000, 101'000}, kColumns);
    std::int64_t at_ns = 0;
    for (int i = 0; i < 5000 && at_ns < 200'000; ++i) {
      const auto length = static_cast<std::int64_t>(random() % (turn % 2 == 0 ? 40 : 5000));
      lane.add(at_ns, at_ns + length, 0);
      at_ns += static_cast<std::int64_t>(random() % 100);
    }
    const auto spans = lane.taken();
    EXPECT_LE(spans.size(), 2 * kColumns + 2);
    std::int64_t before_ns = 1000;
    for (const LaneSpan& span : spans) {
      EXPECT_GE(span.begin_ns, before_ns);
      EXPECT_LE(span.end_ns, 101'000);
      EXPECT_GT(span.filled_ns, 0);
      EXPECT_LE(span.filled_ns, span.end_ns - span.begin_ns);
      before_ns = span.end_ns;
    }
  }
}

}  // namespace
}  // namespace flatout::serve
