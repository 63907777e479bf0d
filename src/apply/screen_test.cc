#include "apply/screen.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <functional>

namespace flatout::apply {
namespace {

std::vector<std::string> numbers(int least, int most, int without) {
  std::vector<std::string> out;
  for (int i = least; i <= most; ++i) {
    if (i != without) out.push_back(std::to_string(i));
  }
  return out;
}

struct Outcome {
  std::vector<int> tried;
  std::optional<int> best;
};

// A program with this rate at each value; 0 fails.
Outcome screened(int least, int most, std::optional<int> present,
                 const std::function<double(int)>& rate, double present_rate = 0) {
  Outcome out;
  const TryValue one = [&](const std::string& value) -> base::Result<std::optional<ScreenTrial>> {
    const int number = std::stoi(value);
    out.tried.push_back(number);
    ScreenTrial trial{.value = value, .rate = rate(number), .run = "r", .failure = {}};
    if (*trial.rate == 0) trial = {.value = value, .rate = {}, .run = "r", .failure = "hung"};
    return trial;
  };
  if (present) present_rate = rate(*present);
  const auto result = screen(numbers(least, most, present.value_or(least - 1)),
                             present ? std::to_string(*present) : "", present_rate, one);
  EXPECT_TRUE(result);
  if (result->best) out.best = std::stoi(result->trials[*result->best].value);
  return out;
}

TEST(Screen, FewValuesAndTextsAreTriedOneByOne) {
  EXPECT_EQ(screened(0, 4, 1, [](int v) { return v == 3 ? 2.0 : 1.0; }).tried,
            (std::vector<int>{0, 2, 3, 4}));
  std::vector<std::string> tried;
  const TryValue one = [&](const std::string& value) -> base::Result<std::optional<ScreenTrial>> {
    tried.push_back(value);
    return ScreenTrial{
        .value = value, .rate = value == "\"f\"" ? 2.0 : 1.0, .run = "", .failure = ""};
  };
  const std::vector<std::string> texts = {"\"a\"", "\"b\"", "\"c\"", "\"d\"",
                                          "\"e\"", "\"f\"", "\"g\""};
  const auto result = screen(texts, "\"h\"", 1, one);
  EXPECT_EQ(tried, texts);
  EXPECT_EQ(result->trials.at(*result->best).value, "\"f\"");
}

TEST(Screen, ClimbsToTheEndOfARange) {
  const auto rising = [](int v) { return 10.0 * (1 + v); };
  EXPECT_EQ(screened(0, 12, 0, rising).best, 12);
  EXPECT_EQ(screened(0, 12, 12, [](int v) { return 100.0 / (1 + v); }).best, 0);
  EXPECT_EQ(screened(0, 999, 1, rising).best, 999);
}

// One top: where it is, within what doubling and four trials between can tell.
TEST(Screen, FindsATopInTheMiddle) {
  for (int top = 0; top <= 12; ++top) {
    for (int present = 0; present <= 12; ++present) {
      const auto rate = [&](int v) { return 100.0 / (1 + 0.2 * std::abs(v - top)); };
      const auto out = screened(0, 12, present, rate);
      if (present == top) {
        EXPECT_FALSE(out.best) << top;
      } else {
        EXPECT_EQ(out.best.value_or(-1), top) << "from " << present;
      }
      EXPECT_LE(out.tried.size(), 10U);
    }
  }
  for (const int top : {3, 40, 700}) {
    const auto rate = [&](int v) {
      return 100.0 / (1 + std::abs(std::log((v + 1.0) / (top + 1))));
    };
    const auto out = screened(0, 999, 8, rate);
    EXPECT_GT(rate(out.best.value_or(8)), 92) << top;
    EXPECT_LE(out.tried.size(), 16U);
  }
}

TEST(Screen, WhatIsFlatIsGivenUpSoon) {
  const auto out = screened(0, 999, 8, [](int) { return 100.0; });
  EXPECT_FALSE(out.best);
  EXPECT_LE(out.tried.size(), 4U);
}

TEST(Screen, OfEquallyGoodValuesTheFirstIsTaken) {
  const auto out =
      screened(0, 12, 0, [](int v) { return v >= 4 ? 100.0 + 0.05 * v : 20.0 * (v + 1); });
  EXPECT_EQ(out.best, 4);
}

TEST(Screen, AFailureEndsTheClimbAndIsNeverTaken) {
  const auto fragile = [](int v) { return v > 5 ? 0.0 : 10.0 * (v + 1); };
  const auto out = screened(0, 12, 2, fragile);
  EXPECT_EQ(out.best, 5);
  for (const int value : out.tried) EXPECT_LE(value, 8) << "beyond what failed";
  EXPECT_FALSE(screened(0, 12, 0, [](int v) { return v == 0 ? 10.0 : 0.0; }).best);
}

TEST(Screen, WithoutAPresentValueItBeginsAtTheLeast) {
  const auto rate = [](int v) { return 100.0 / (1 + 0.2 * std::abs(v - 6)); };
  const auto out = screened(0, 12, std::nullopt, rate, rate(3));
  EXPECT_EQ(out.tried.front(), 0);
  EXPECT_EQ(out.best, 6);
}

TEST(Screen, EndsWhereTheTimeEnds) {
  int left = 2;
  const TryValue one = [&](const std::string& value) -> base::Result<std::optional<ScreenTrial>> {
    if (left-- == 0) return std::nullopt;
    return ScreenTrial{.value = value, .rate = std::stod(value), .run = "", .failure = ""};
  };
  const auto result = screen(numbers(1, 100, 1), "1", 1, one);
  ASSERT_TRUE(result);
  EXPECT_EQ(result->trials.size(), 2U);
  EXPECT_EQ(result->trials.at(result->best.value_or(9)).value, "4");
}

TEST(Screen, PassesErrorsOn) {
  const TryValue one = [](const std::string&) -> base::Result<std::optional<ScreenTrial>> {
    return base::fail(base::ErrorCode::kIo, "no store");
  };
  EXPECT_FALSE(screen(numbers(1, 3, 1), "1", 1, one));
  EXPECT_FALSE(screen(numbers(1, 30, 1), "1", 1, one));
}

}  // namespace
}  // namespace flatout::apply
