#include "run/speedup_text.h"

#include <gtest/gtest.h>

#include <limits>

namespace flatout::run {
namespace {

TEST(SpeedupText, AGainIsAFactor) {
  EXPECT_EQ(speedup_text({2.456, 2.41, 2.5}, 2), "x2.46 [2.41, 2.50]");
  EXPECT_EQ(speedup_text({2.456, 2.41, 2.5}, 1), "x2.5 [2.4, 2.5]");
  EXPECT_EQ(speedup_text({123.4, 99.96, 1234}, 1), "x123 [100.0, 1.23e+03]");
}

TEST(SpeedupText, ALossIsSoManyTimesSlower) {
  EXPECT_EQ(speedup_text({0.236, 0.2, 0.25}, 1), "4.2x slower [4.0, 5.0]");
  EXPECT_EQ(speedup_text({0.98, 0.95, 1.02}, 2), "1.02x slower [0.98, 1.05]");
  EXPECT_EQ(ratio_text(0.5, 2), "2.00x slower");
  EXPECT_EQ(ratio_text(1.93, 2), "x1.93");
}

TEST(SpeedupText, WhatRoundsToOneIsNoLoss) {
  EXPECT_EQ(speedup_text({0.998, 0.97, 1.02}, 2), "x1.00 [0.97, 1.02]");
  EXPECT_EQ(ratio_text(0.96, 1), "x1.0");
}

TEST(SpeedupText, NoNumberIsNoText) {
  constexpr double kNan = std::numeric_limits<double>::quiet_NaN();
  EXPECT_EQ(speedup_text({kNan, 1, 2}, 2), "");
  EXPECT_EQ(speedup_text({2, 1, std::numeric_limits<double>::infinity()}, 2), "");
  EXPECT_EQ(ratio_text(kNan, 2), "");
  EXPECT_EQ(speedup_text({0.5, -1, 2}, 1), "x0.5 [-1.0, 2.0]") << "no interval to invert";
}

}  // namespace
}  // namespace flatout::run
