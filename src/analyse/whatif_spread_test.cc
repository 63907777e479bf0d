// Where model_spread comes from, and that it holds what it was not fitted to
// (docs/decisions/0033-intervals-of-predictions.md).
#include <gtest/gtest.h>

#include <cmath>
#include <fstream>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "analyse/whatif.h"

namespace flatout::analyse {
namespace {

struct Gain {
  std::string program;
  double predicted, measured;
  double miss() const { return std::log(predicted / measured); }
};

std::vector<Gain> gains() {
  std::ifstream file(FLATOUT_SOURCE_DIR "/tests/whatif/held_out_gains.json");
  const auto all = nlohmann::json::parse(file);
  std::vector<Gain> out;
  for (const auto& row : all["rows"]) {
    out.push_back({row["program"], row["predicted"], row["measured"]});
  }
  return out;
}

// Half of a 95 % interval for one more miss: the misses have mean 0, as a prediction should, so
// that none of them goes into estimating it. `t`: Student's 97.5 % point for so many.
double fitted(const std::vector<Gain>& rows, double t) {
  double squares = 0;
  for (const Gain& row : rows) squares += row.miss() * row.miss();
  return t * std::sqrt(squares / static_cast<double>(rows.size()));
}

constexpr double kStudent8 = 2.306, kStudent7 = 2.365;

TEST(WhatIfSpread, IsWhatTheProgramsThatWereNotFittedToShow) {
  const auto rows = gains();
  ASSERT_EQ(rows.size(), 8U);
  const double fit = fitted(rows, kStudent8);
  for (const Gain& row : rows) {
    EXPECT_GE(model_spread(row.predicted), fit) << row.program;
    EXPECT_LT(model_spread(row.predicted), fit + 0.01) << row.program << ": wider than it need be";
  }
}

// Each program lies in the interval that the seven others give: 8 of 8, where 7 % held 4.
TEST(WhatIfSpread, HoldsEachProgramThatIsLeftOut) {
  const auto rows = gains();
  int held = 0;
  int held_by_7_percent = 0;
  for (std::size_t i = 0; i < rows.size(); ++i) {
    auto others = rows;
    others.erase(others.begin() + static_cast<std::ptrdiff_t>(i));
    const double miss = std::abs(rows[i].miss());
    held += miss <= fitted(others, kStudent7) ? 1 : 0;
    held_by_7_percent += miss <= 0.07 ? 1 : 0;
  }
  EXPECT_EQ(held, 8);
  EXPECT_EQ(held_by_7_percent, 4);
}

TEST(WhatIfSpread, GrowsWithTheChangeEitherWayAndIsNeverNone) {
  EXPECT_DOUBLE_EQ(model_spread(1), 0.07);
  for (const double ratio : {1.05, 1.2, 1.5, 2.0, 10.0}) {
    EXPECT_GT(model_spread(ratio), 0.07) << ratio;
    EXPECT_NEAR(model_spread(ratio), model_spread(1 / ratio), 1e-12) << ratio;
    EXPECT_LE(model_spread(ratio), 0.20) << ratio;
  }
}

}  // namespace
}  // namespace flatout::analyse
