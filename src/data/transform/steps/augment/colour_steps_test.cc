// Steps that change colours or erase: what they draw.
#include <gtest/gtest.h>

#include <cmath>
#include <map>
#include <vector>

#include "data/transform/steps/applied_for_test.h"
#include "data/transform/steps/steps.h"

namespace flatout::data::transform {
namespace {

using Kind = ColourChange::Kind;

TEST(ColorJitter, EveryOrderIsEquallyLikely) {
  const ColorJitter step{{0.5, 1.5}, {0.5, 1.5}, {0.5, 1.5}, {-0.1, 0.1}};
  std::map<std::vector<Kind>, int> orders;
  for (std::uint64_t sample = 0; sample < 24'000; ++sample) {
    std::vector<Kind> order;
    for (const Change& change : applied_to(step, sample).changes)
      order.push_back(std::get<ColourChange>(change).kind);
    ++orders[order];
  }
  EXPECT_EQ(orders.size(), 24U);
  for (const auto& [order, count] : orders) {
    EXPECT_EQ(order.size(), 4U);
    EXPECT_NEAR(count, 1000, 155);  // five standard deviations
  }
}

TEST(ColorJitter, FactorsAreEvenOverTheirRanges) {
  const ColorJitter step{{0.5, 1.5}, {0, 3}, {1, 1}, {-0.25, 0.5}};
  std::map<Kind, std::vector<int>> parts;
  for (std::uint64_t sample = 0; sample < 10'000; ++sample) {
    const Picture picture = applied_to(step, sample);
    EXPECT_EQ(picture.changes.size(), 3U);  // no saturation
    for (const Change& any : picture.changes) {
      const auto& change = std::get<ColourChange>(any);
      const auto factor = static_cast<double>(change.factor);
      const double unit = change.kind == Kind::kBrightness ? factor - 0.5
                          : change.kind == Kind::kContrast ? factor / 3
                                                           : (factor + 0.25) / 0.75;
      auto& counts = parts[change.kind];
      counts.resize(10);
      ++counts.at(static_cast<std::size_t>(std::min(unit, 0.99999) * 10));
    }
  }
  EXPECT_EQ(parts.size(), 3U);
  for (const auto& [kind, counts] : parts) {
    for (const int count : counts) EXPECT_NEAR(count, 1000, 150);
  }
}

TEST(Grayscale, HappensAlwaysOrAsOftenAsAsked) {
  int grey = 0;
  for (std::uint64_t sample = 0; sample < 10'000; ++sample) {
    grey += static_cast<int>(applied_to(RandomGrayscale{0.2}, sample).changes.size());
    EXPECT_EQ(applied_to(Grayscale{}, sample).changes,
              std::vector<Change>{ColourChange{Kind::kGrey}});
  }
  EXPECT_NEAR(grey, 2000, 200);
}

TEST(RandomErasing, AreaShapeAndPlaceAreEven) {
  const RandomErasing step{
      .probability = 0.8, .scale_low = 0.05, .scale_high = 0.2, .ratio_low = 0.5, .ratio_high = 2};
  constexpr int kSide = 10'000, kSamples = 20'000;
  std::vector<int> areas(10), ratios(10), lefts(10), tops(10);
  const auto count = [](std::vector<int>& counts, double unit) {
    ++counts[static_cast<std::size_t>(std::min(std::max(unit, 0.0), 0.99999) * 10)];
  };
  int erased = 0;
  for (std::uint64_t sample = 0; sample < kSamples; ++sample) {
    for (const Erasure& erasure : applied_to(step, sample, kSide, kSide).erasures) {
      const double w = erasure.box.width, h = erasure.box.height;
      ++erased;
      count(areas, (w * h / kSide / kSide - 0.05) / 0.15);
      count(ratios, (std::log(h / w) + std::log(2.0)) / (2 * std::log(2.0)));
      count(lefts, erasure.box.left / (kSide - w + 1));
      count(tops, erasure.box.top / (kSide - h + 1));
    }
  }
  EXPECT_NEAR(erased, 0.8 * kSamples, 285);
  for (const auto* counts : {&areas, &ratios, &lefts, &tops}) {
    for (const int part : *counts) EXPECT_NEAR(part, erased / 10.0, 190);
  }
}

TEST(RandomErasing, StaysWithinTheSampleAndLeavesSome) {
  for (std::uint64_t sample = 0; sample < 3000; ++sample) {
    DrawStream draw = Draws(2, 2, sample).stream(1);
    const int width = 1 + static_cast<int>(draw.below(40)),
              height = 1 + static_cast<int>(draw.below(40));
    for (const Erasure& erasure :
         applied_to(RandomErasing{.probability = 1, .scale_high = 1}, sample, width, height)
             .erasures) {
      EXPECT_GE(erasure.box.left, 0);
      EXPECT_GE(erasure.box.top, 0);
      EXPECT_LT(erasure.box.width, width);
      EXPECT_LT(erasure.box.height, height);
      EXPECT_LE(erasure.box.left + erasure.box.width, width);
      EXPECT_LE(erasure.box.top + erasure.box.height, height);
    }
  }
}

TEST(ColourSteps, RefuseParametersOutOfBounds) {
  EXPECT_FALSE(check(ColorJitter{.brightness = {-0.1, 1}}));
  EXPECT_FALSE(check(ColorJitter{.contrast = {1, 0.5}}));
  EXPECT_FALSE(check(ColorJitter{.saturation = {0, NAN}}));
  EXPECT_FALSE(check(ColorJitter{.hue = {-0.6, 0}}));
  EXPECT_FALSE(check(RandomGrayscale{-1}));
  EXPECT_FALSE(check(RandomErasing{.probability = 2}));
  EXPECT_FALSE(check(RandomErasing{.scale_high = 1.1}));
  EXPECT_FALSE(check(RandomErasing{.ratio_low = 0}));
  EXPECT_FALSE(check(RandomErasing{.value = {0, INFINITY, 0}}));
  EXPECT_TRUE(check(ColorJitter{}));
  EXPECT_TRUE(check(RandomErasing{}));
}

}  // namespace
}  // namespace flatout::data::transform
