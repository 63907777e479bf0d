// A resize from a picture that was scaled down before it, against the same resize of the whole.
#include "data/transform/scaled_source.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "data/transform/chain.h"
#include "data/transform/resample/taps.h"

namespace flatout::data::transform {
namespace {

// What an axis makes of a line.
std::vector<double> resized(const Axis& axis, const std::vector<double>& line) {
  Taps taps;
  taps.find(axis);
  const auto begin = static_cast<std::size_t>(axis.source().first);
  std::vector<double> out;
  for (const Tap& tap : taps.taps) {
    double sum = 0;
    for (std::size_t i = 0; i < static_cast<std::size_t>(tap.count); ++i)
      sum += taps.weights[tap.weights + i] * line[begin + static_cast<std::size_t>(tap.first) + i];
    out.push_back(sum / kWholeWeight);
  }
  return out;
}

// Means of `denom` pixels each, from `phase` before the first one on.
std::vector<double> scaled(const std::vector<double>& line, int denom, int phase) {
  const int length = static_cast<int>(line.size());
  std::vector<double> out;
  for (int begin = -phase; begin < length; begin += denom) {
    double sum = 0;
    int count = 0;
    for (int i = std::max(begin, 0); i < std::min(begin + denom, length); ++i, ++count)
      sum += line[static_cast<std::size_t>(i)];
    out.push_back(sum / count);
  }
  return out;
}

// A slope stays the same slope however it is scaled, so where a pixel of the result lies shows in
// its value, away from the edges.
TEST(ScaledSource, PixelsOfTheResultLieWhereTheyDid) {
  std::vector<double> line(203);
  for (std::size_t i = 0; i < line.size(); ++i) line[i] = static_cast<double>(i);
  for (const int denom : {2, 4, 8}) {
    for (int turn = 0; turn < 60; ++turn) {
      const int begin = turn % 11;
      const int count = 144;
      const int length = count / (denom * (1 + turn % 2));  // filters of whole widths keep slopes
      const int phase = turn % denom;
      Axis axis(static_cast<std::int64_t>(line.size()));
      if (turn % 3 == 1) axis.flip();
      axis.crop(begin, count);
      axis.resize(length, turn % 4 < 2 ? Filter::kBilinear : Filter::kBicubic);
      if (turn % 3 == 2) axis.flip();
      axis.crop(1, length - 2);
      ASSERT_GE(axis.spare_scale(), denom);
      const Axis other = axis.of_scaled_source(denom, phase);
      const auto expected = resized(axis, line);
      const auto got = resized(other, scaled(line, denom, phase));
      ASSERT_EQ(got.size(), expected.size());
      for (std::size_t i = 2; i + 2 < got.size(); ++i) {
        ASSERT_NEAR(got[i], expected[i], 0.001)
            << "1/" << denom << ", turn " << turn << ", pixel " << i;
      }
    }
  }
}

Plan plan_of(std::vector<Step> steps, int width, int height) {
  const auto chain = Chain::make({.steps = std::move(steps)});
  return chain->plan(width, height, Draws(0, 0, 0)).value();
}

TEST(ScaledSource, IsAsSmallAsTheResizeAllowsInBothDirections) {
  const auto denom_of = [](std::vector<Step> steps, int width, int height) {
    return scale_denom(plan_of(std::move(steps), width, height).picture);
  };
  EXPECT_EQ(denom_of({Resize{{100, 100}}}, 199, 900), 1);
  EXPECT_EQ(denom_of({Resize{{100, 100}}}, 200, 900), 2);
  EXPECT_EQ(denom_of({Resize{{100, 100}}}, 400, 399), 2);
  EXPECT_EQ(denom_of({Resize{{100, 100}}}, 400, 400), 4);
  EXPECT_EQ(denom_of({Resize{{100, 100}}}, 5000, 5000), 8);
  EXPECT_EQ(denom_of({CenterCrop{{300, 300}}, Resize{{100, 100}}}, 4000, 4000), 2);
  EXPECT_EQ(denom_of({ResizeShorter{250}, CenterCrop{{200, 200}}}, 1000, 2000), 4);
  // Nothing is resized, or only after something else was done to all pixels, or black is.
  EXPECT_EQ(denom_of({CenterCrop{{100, 100}}}, 4000, 4000), 1);
  EXPECT_EQ(denom_of({RandomInvert{.probability = 1}, Resize{{100, 100}}}, 4000, 4000), 1);
  EXPECT_EQ(denom_of({CenterCrop{{5000, 5000}}, Resize{{100, 100}}}, 4000, 4000), 1);
}

TEST(ScaledSource, OnlyWhatIsNeededIsAskedFor) {
  Plan plan = plan_of({CenterCrop{{301, 300}}, Resize{{100, 100}}}, 1000, 903);
  ASSERT_EQ(plan.source, (Box{350, 302, 301, 300}));
  EXPECT_EQ(Chain::take_scaled(plan, {}), 2);
  EXPECT_EQ(plan.source, (Box{175, 151, 151, 150}));
  Plan turned = plan_of({CenterCrop{{301, 300}}, Resize{{100, 100}}}, 1000, 903);
  // The shown height is counted from the end of 903 stored rows: the last group begins one row
  // before.
  EXPECT_EQ(Chain::take_scaled(turned, {.width_from_end = 1000, .height_from_end = 903}), 2);
  EXPECT_EQ(turned.source, (Box{175, 151, 151, 151}));
}

}  // namespace
}  // namespace flatout::data::transform
