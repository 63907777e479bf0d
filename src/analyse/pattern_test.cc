// Made-up series with a known truth: the pattern must be found where it is, to
// within 5 % of its period, and nowhere else.
#include "analyse/pattern.h"

#include <gtest/gtest.h>

#include <cmath>
#include <functional>
#include <random>
#include <vector>

namespace flatout::analyse {
namespace {

// A test that reads an absent figure must fail, and does.
// NOLINTBEGIN(bugprone-unchecked-optional-access)

constexpr double kMs = 1e6;
constexpr std::int64_t kWindow = 166'666'667;  // NVML at its finest: six readings a second
using Series = std::vector<run::Point>;

// A device that is busy for `duty` of each period; each period is longer or
// shorter by up to `jitter` of it. Readings are means over their window, as a
// driver gives them, with noise on top.
struct Saw {
  double period_ms = 1500;
  double duty = 0.4;
  double jitter = 0;
  double noise = 0;
  double high = 0.95;
  double seconds = 30;
};

Series sampled(const Saw& saw, std::uint64_t seed, std::int64_t window = kWindow) {
  std::mt19937_64 random(seed);
  std::uniform_real_distribution<double> even(-1, 1);
  std::normal_distribution<double> normal(0, 1);
  std::vector<std::pair<double, double>> busy;  // ns
  for (double t = 0; t < saw.seconds * 1e9;) {
    const double period = saw.period_ms * kMs * (1 + saw.jitter * even(random));
    busy.emplace_back(t, t + saw.duty * period);
    t += period;
  }
  Series points;
  for (std::int64_t end = window; static_cast<double>(end) <= saw.seconds * 1e9; end += window) {
    double sum = 0;
    for (const auto& [from, to] : busy) {
      sum += std::max(0.0, std::min(to, static_cast<double>(end)) -
                               std::max(from, static_cast<double>(end - window)));
    }
    const double value = saw.high * sum / static_cast<double>(window) + saw.noise * normal(random);
    points.push_back({end, std::clamp(value, 0.0, 1.0)});
  }
  return points;
}

Series made(std::size_t count, const std::function<double(std::size_t)>& value) {
  Series points;
  for (std::size_t i = 0; i < count; ++i) {
    points.push_back({static_cast<std::int64_t>(i) * kWindow, value(i)});
  }
  return points;
}

Pattern pattern_of(const Series& points) { return find_pattern(points, {.window_ns = kWindow}); }

TEST(Pattern, ACleanSawtooth) {
  const Pattern found = pattern_of(sampled({}, 1));
  EXPECT_EQ(found.name, "sawtooth");
  EXPECT_NEAR(*found.period_ns / kMs, 1500, 15);
  EXPECT_NEAR(*found.duty, 0.4, 0.05);
  EXPECT_NEAR(*found.mean, 0.38, 0.01);
}

TEST(Pattern, TheMeanIsOverWholePeriods) {
  // Cut off in the middle of a busy spell: the plain mean is too high.
  const Series points = sampled({.period_ms = 4000, .duty = 0.5, .seconds = 22}, 1);
  double sum = 0;
  for (const run::Point& point : points) sum += point.value;
  EXPECT_GT(sum / static_cast<double>(points.size()), 0.51);
  EXPECT_NEAR(*pattern_of(points).mean, 0.475, 0.01);
}

TEST(Pattern, Flat) {
  EXPECT_EQ(pattern_of(made(50, [](std::size_t) { return 0.98; })).name, "flat");
  EXPECT_EQ(pattern_of(made(50, [](std::size_t) { return 0.0; })).name, "flat");
  EXPECT_EQ(
      pattern_of(made(50, [](std::size_t i) { return 0.5 + (i % 2 == 0 ? 0.0 : 0.02); })).name,
      "flat");
  EXPECT_EQ(pattern_of(made(50, [](std::size_t i) { return i % 20 == 7 ? 0.3 : 0.97; })).name,
            "flat");
}

TEST(Pattern, FourCyclesAreNeeded) {
  EXPECT_EQ(pattern_of(sampled({.seconds = 9}, 1)).name, "sawtooth");
  EXPECT_EQ(pattern_of(sampled({.seconds = 5.5}, 1)).name, "");
}

TEST(Pattern, APeriodOfFourWindowsIsNeeded) {
  EXPECT_EQ(pattern_of(sampled({.period_ms = 750}, 1)).name, "sawtooth");
  EXPECT_EQ(pattern_of(sampled({.period_ms = 600}, 1)).name, "");
  // The same readings of a source that may average over a second.
  const Series points = sampled({.period_ms = 1500}, 1);
  EXPECT_EQ(find_pattern(points, {.window_ns = 1'000'000'000}).name, "");
  EXPECT_FALSE(find_pattern(points, {.window_ns = 1'000'000'000}).period_ns.has_value());
}

TEST(Pattern, NoPeriodReachesAcrossAHole) {
  Series points = sampled({}, 1);
  std::erase_if(points, [](const run::Point& point) {
    return point.t_ns > 9'000'000'000 && point.t_ns < 12'700'000'000;
  });
  const Pattern found = pattern_of(points);
  EXPECT_EQ(found.name, "sawtooth");
  EXPECT_NEAR(*found.period_ns / kMs, 1500, 15);
  EXPECT_NEAR(*found.mean, 0.38, 0.02);
}

TEST(Pattern, AnythingIsSurvived) {
  EXPECT_EQ(pattern_of({}).name, "");
  EXPECT_EQ(pattern_of({{5, 0.5}}).name, "");
  EXPECT_EQ(pattern_of(Series(100, {7, 0.5})).name, "");
  // Two readings a lifetime apart after a burst: no grid of a million cells.
  Series points = sampled({}, 1);
  points.push_back({std::int64_t{1} << 62, 1});
  (void)pattern_of(points);
}

TEST(PatternProperty, PeriodWithinFivePercent) {
  std::mt19937_64 random(11);
  const auto between = [&random](double lo, double hi) {
    return std::uniform_real_distribution<double>(lo, hi)(random);
  };
  int found = 0;
  constexpr int kRounds = 400;
  for (int round = 0; round < kRounds; ++round) {
    const Saw saw = {.period_ms = between(900, 6000),
                     .duty = between(0.25, 0.75),
                     .jitter = between(0, 0.15),
                     .noise = between(0, 0.08),
                     .high = between(0.6, 1),
                     .seconds = between(60, 120)};
    const Pattern pattern = pattern_of(sampled(saw, random()));
    if (pattern.name != "sawtooth") continue;
    ++found;
    EXPECT_NEAR(*pattern.period_ns / kMs, saw.period_ms, 0.05 * saw.period_ms)
        << saw.period_ms << " ms, duty " << saw.duty << ", jitter " << saw.jitter << ", noise "
        << saw.noise;
    EXPECT_NEAR(*pattern.mean, saw.duty * saw.high, 0.06);
  }
  EXPECT_GE(found, kRounds * 95 / 100);
}

int sawtooths(int rounds, const std::function<Series(std::mt19937_64&)>& make) {
  std::mt19937_64 random(12);
  int count = 0;
  for (int round = 0; round < rounds; ++round) {
    count += pattern_of(make(random)).name == "sawtooth" ? 1 : 0;
  }
  return count;
}

TEST(PatternProperty, WhiteNoiseIsNoSawtooth) {
  EXPECT_EQ(sawtooths(2000,
                      [](std::mt19937_64& random) {
                        std::uniform_real_distribution<double> any(0, 1);
                        return made(40 + random() % 400, [&](std::size_t) { return any(random); });
                      }),
            0);
}

TEST(PatternProperty, AWanderingLevelIsNoSawtooth) {
  EXPECT_LE(sawtooths(2000,
                      [](std::mt19937_64& random) {
                        std::normal_distribution<double> push(0, 0.15);
                        double level = 0.5;
                        return made(40 + random() % 400, [&](std::size_t) {
                          level = std::clamp(0.5 + 0.9 * (level - 0.5) + push(random), 0.0, 1.0);
                          return level;
                        });
                      }),
            2);
}

TEST(PatternProperty, SpellsOfRandomLengthAreNoSawtooth) {
  EXPECT_LE(sawtooths(2000,
                      [](std::mt19937_64& random) {
                        std::exponential_distribution<double> spell(0.15);
                        bool busy = false;
                        double left = 0;
                        return made(40 + random() % 400, [&](std::size_t) {
                          if (--left <= 0) {
                            busy = !busy;
                            left = 1 + spell(random);
                          }
                          return busy ? 0.95 : 0.05;
                        });
                      }),
            10);
}

// NOLINTEND(bugprone-unchecked-optional-access)

}  // namespace
}  // namespace flatout::analyse
