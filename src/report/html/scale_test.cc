#include "report/html/scale.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <random>

namespace flatout::report::html {
namespace {

using Ticks = std::vector<double>;

TEST(Ticks, AreRoundNumbers) {
  EXPECT_EQ(nice_ticks(0, 1, 4), (Ticks{0, 0.5, 1}));
  EXPECT_EQ(nice_ticks(0, 700, 4), (Ticks{0, 200, 400, 600}));
  EXPECT_EQ(nice_ticks(-10, 10, 4), (Ticks{-10, -5, 0, 5, 10}));
  EXPECT_EQ(time_ticks(0, 214, 6), (Ticks{0, 60, 120, 180}));
  EXPECT_EQ(time_ticks(0, 7200, 6), (Ticks{0, 1800, 3600, 5400, 7200}));
  EXPECT_EQ(time_ticks(0, 12, 6), (Ticks{0, 2, 4, 6, 8, 10, 12}));
}

TEST(Ticks, LieInsideAndAreFewForAnyRange) {
  std::mt19937_64 dice(1);
  for (int i = 0; i < 2000; ++i) {
    const double lo = std::normal_distribution<double>(0, 1)(dice) * std::pow(10, dice() % 12);
    const double hi = lo + std::exp(std::normal_distribution<double>(0, 6)(dice));
    for (const auto& ticks : {nice_ticks(lo, hi, 5), time_ticks(lo, hi, 5)}) {
      EXPECT_LE(ticks.size(), 11U) << lo << " " << hi;
      for (const double tick : ticks) {
        EXPECT_GE(tick, lo - 1e-6 * (hi - lo) - 1e-9 * std::abs(lo));
        EXPECT_LE(tick, hi + 1e-6 * (hi - lo) + 1e-9 * std::abs(lo));
      }
    }
  }
  const double inf = std::numeric_limits<double>::infinity();
  for (const auto& [lo, hi] :
       {std::pair{0.0, inf}, {1.0, 1.0}, {2.0, 1.0}, {std::nan(""), 1.0}, {-1.7e308, 1.7e308}}) {
    EXPECT_TRUE(nice_ticks(lo, hi, 5).empty());
  }
}

TEST(Ticks, TheTopOfAnAxisIsAboveTheData) {
  for (const double value : {1e-9, 0.3, 1.0, 99.0, 101.0, 674.0, 8.6e9}) {
    EXPECT_GE(nice_ceiling(value), value);
    EXPECT_LE(nice_ceiling(value), value * 1.51);
  }
  EXPECT_EQ(nice_ceiling(0), 1);
  EXPECT_EQ(nice_ceiling(-5), 1);
}

TEST(Labels, ReadAsPeopleSayThem) {
  EXPECT_EQ(time_label(0, 60), "0");
  EXPECT_EQ(time_label(30, 30), "30 s");
  EXPECT_EQ(time_label(90, 30), "1:30 min");
  EXPECT_EQ(time_label(120, 60), "2 min");
  EXPECT_EQ(time_label(5400, 1800), "1:30 h");
  EXPECT_EQ(quantity(2, "log10 TFLOP/s"), "100 TFLOP/s");
  EXPECT_EQ(quantity(-1, "log10"), "0.1");
  EXPECT_EQ(quantity(0.86, "ratio"), "86 %");
  EXPECT_EQ(quantity(8.6e9, "bytes"), "8.6 GB");
  EXPECT_EQ(quantity(2e6, "bytes_per_s"), "2 MB/s");
  EXPECT_EQ(quantity(61, "celsius"),
            "61 \xc2\xb0"
            "C");
  EXPECT_EQ(quantity(1, "cores"), "1 core");
  EXPECT_EQ(quantity(7, "furlongs"), "7 furlongs");
}

}  // namespace
}  // namespace flatout::report::html
