// Steps that warp or augment: what they draw, and what they refuse.
#include "data/transform/steps/augment/augment_steps.h"

#include <gtest/gtest.h>

#include <cmath>
#include <map>
#include <numbers>
#include <vector>

#include "data/transform/steps/applied_for_test.h"
#include "data/transform/steps/steps.h"

namespace flatout::data::transform {
namespace {

constexpr int kSamples = 10'000;

// Ten equal parts, each within five standard deviations of what is expected.
class Even {
 public:
  void count(double value, double low, double high) {
    ++parts_.at(static_cast<std::size_t>((value - low) / (high - low) * 10));
  }
  ~Even() {
    for (const int part : parts_) EXPECT_NEAR(part, kSamples / 10, 150);
  }
  Even() = default;
  Even(const Even&) = delete;
  Even& operator=(const Even&) = delete;

 private:
  std::vector<int> parts_ = std::vector<int>(10);
};

TEST(RandomRotation, EveryAngleIsEquallyLikely) {
  Even angles;
  for (std::uint64_t sample = 0; sample < kSamples; ++sample) {
    const Picture picture = applied_to(RandomRotation{.degrees = {-30, 60}}, sample);
    const double* const m = std::get<Warp>(picture.changes.at(0)).matrix;
    angles.count(std::atan2(-m[1], m[0]) * 180 / std::numbers::pi, -30, 60);
  }
}

TEST(RandomRotation, AnExpandedResultHoldsAllAndHasNoFixedSize) {
  const RandomRotation step{.degrees = {45, 45}, .expand = true};
  const Picture picture = applied_to(step, 0, 100, 80);
  EXPECT_EQ(picture.width(), 128);  // (100 + 80) / sqrt(2), up, on both sides of the middle
  EXPECT_EQ(picture.height(), 128);
  EXPECT_EQ(size_after(step, Size{100, 80}), std::nullopt);
  EXPECT_EQ(size_after(RandomRotation{}, Size{100, 80}), (Size{100, 80}));
}

// Of each number alone, since a matrix of several mixes them.
TEST(RandomAffine, EveryNumberIsEven) {
  Even across, down, scales, shears_x, shears_y;
  const auto matrix = [](const RandomAffine& step, std::uint64_t sample) {
    return std::get<Warp>(applied_to(step, sample, 1000, 800).changes.at(0));
  };
  for (std::uint64_t sample = 0; sample < kSamples; ++sample) {
    const Warp moved = matrix({.translate = {0.5, 0.25}}, sample);
    across.count(-moved.matrix[2], -500.5, 500.5);
    down.count(-moved.matrix[5], -200.5, 200.5);
    scales.count(1 / matrix({.scale = {0.5, 2}}, sample).matrix[0], 0.5, 2);
    const auto degrees = [](double tangent) { return std::atan(tangent) * 180 / std::numbers::pi; };
    shears_x.count(degrees(matrix({.shear_x = {-10, 20}}, sample).matrix[1]), -10, 20);
    shears_y.count(degrees(matrix({.shear_y = {-10, 20}}, sample).matrix[3]), -10, 20);
  }
}

TEST(AugmentSteps, HappenAsOftenAsAsked) {
  const std::vector<Step> steps = {RandomInvert{0.2},       RandomPosterize{3, 0.2},
                                   RandomSolarize{99, 0.2}, RandomAutocontrast{0.2},
                                   RandomEqualize{0.2},     RandomAdjustSharpness{2, 0.2}};
  for (const Step& step : steps) {
    int changed = 0;
    for (std::uint64_t sample = 0; sample < kSamples; ++sample) {
      Picture picture{Axis(9), Axis(9)};
      EXPECT_TRUE(apply_step(step, Draws(5, 0, sample).stream(0), picture));
      changed += static_cast<int>(picture.changes.size());
    }
    EXPECT_NEAR(changed, 2000, 200) << name_of(step);  // five standard deviations
  }
}

TEST(GaussianBlur, SigmaIsEvenAndTheKernelStaysWithinTheMirroredPicture) {
  Even sigmas;
  for (std::uint64_t sample = 0; sample < kSamples; ++sample)
    sigmas.count(std::get<Blur>(applied_to(GaussianBlur{3, 5}, sample).changes.at(0)).sigma, 0.1,
                 2);
  Picture picture{Axis(4), Axis(3)};
  EXPECT_TRUE(apply(GaussianBlur{7, 5}, Draws(0, 0, 0).stream(0), picture));
  EXPECT_FALSE(apply(GaussianBlur{9, 5}, Draws(0, 0, 0).stream(0), picture));
  EXPECT_FALSE(apply(GaussianBlur{7, 7}, Draws(0, 0, 0).stream(0), picture));
}

TEST(GaussianBlur, AKernelSumsUpToOneAndIsSymmetric) {
  for (const auto& [count, sigma] : {std::pair{1, 3.0}, {3, 0.1}, {23, 2.0}, {1023, 1e6}}) {
    const auto kernel = gaussian(count, sigma);
    double sum = 0;
    for (std::size_t i = 0; i < kernel.size(); ++i) {
      sum += static_cast<double>(kernel[i]);
      EXPECT_EQ(kernel[i], kernel[kernel.size() - 1 - i]);
    }
    EXPECT_NEAR(sum, 1, 1e-6);
  }
}

TEST(AugmentSteps, RefuseParametersOutOfBounds) {
  EXPECT_FALSE(check(RandomRotation{.degrees = {3, 2}}));
  EXPECT_FALSE(check(RandomRotation{.degrees = {NAN, 2}}));
  EXPECT_FALSE(check(RandomRotation{.centre = Point{1e9, 0}}));
  EXPECT_FALSE(check(RandomRotation{.centre = Point{NAN, 0}}));
  EXPECT_FALSE(check(RandomAffine{.translate = {1.1, 0}}));
  EXPECT_FALSE(check(RandomAffine{.scale = {0, 1}}));
  EXPECT_FALSE(check(RandomAffine{.shear_y = {5, 4}}));
  EXPECT_FALSE(check(RandomPosterize{.bits = 0}));
  EXPECT_FALSE(check(RandomSolarize{.threshold = NAN}));
  EXPECT_FALSE(check(RandomAdjustSharpness{.factor = -1}));
  EXPECT_FALSE(check(RandomInvert{2}));
  EXPECT_FALSE(check(GaussianBlur{2, 3}));
  EXPECT_FALSE(check(GaussianBlur{3, -1}));
  EXPECT_FALSE(check(GaussianBlur{3, 3, {0, 1}}));
  EXPECT_FALSE(check(RandAugment{.magnitude = 31}));
  EXPECT_FALSE(check(RandAugment{.operations = -1}));
  EXPECT_FALSE(check(TrivialAugmentWide{.bins = 1}));
  EXPECT_TRUE(check(RandAugment{}));
  EXPECT_TRUE(check(RandomAffine{}));
}

}  // namespace
}  // namespace flatout::data::transform
