#include "data/transform/steps/steps.h"

#include <gtest/gtest.h>

#include <cmath>
#include <vector>

namespace flatout::data::transform {
namespace {

DrawStream stream_of(std::uint64_t sample) { return Draws(7, 0, sample).stream(0); }

// What is left of a picture of that size, as (first, count) of columns and rows of the source.
struct Left {
  Span x, y;
  bool operator==(const Left&) const = default;
};
std::ostream& operator<<(std::ostream& out, const Left& left) {
  return out << left.x.first << "+" << left.x.count << " x " << left.y.first << "+" << left.y.count;
}

template <class S>
Picture after(const S& step, int width, int height, std::uint64_t sample = 0) {
  Picture picture{Axis(width), Axis(height)};
  const auto applied = apply(step, stream_of(sample), picture);
  EXPECT_TRUE(applied) << applied.error().message;
  return picture;
}
template <class S>
Left source_after(const S& step, int width, int height, std::uint64_t sample = 0) {
  const Picture picture = after(step, width, height, sample);
  return {picture.x.source(), picture.y.source()};
}
template <class S>
Size size_of(const S& step, int width, int height) {
  const Picture picture = after(step, width, height);
  return {static_cast<int>(picture.x.length()), static_cast<int>(picture.y.length())};
}

TEST(ResizeShorter, KeepsTheShapeAndCutsTheLongerSide) {
  EXPECT_EQ(size_of(ResizeShorter{256}, 500, 375), (Size{341, 256}));  // 341.33
  EXPECT_EQ(size_of(ResizeShorter{256}, 375, 500), (Size{256, 341}));
  EXPECT_EQ(size_of(ResizeShorter{256}, 300, 300), (Size{256, 256}));
  EXPECT_EQ(size_of(ResizeShorter{232}, 1, 5000), (Size{232, 1'160'000}));
}

TEST(ResizeShorter, RefusesAStripThatWouldBecomeHuge) {
  Picture strip{Axis(1), Axis(1 << 24)};
  const auto applied = apply(ResizeShorter{kMostSide}, stream_of(0), strip);
  ASSERT_FALSE(applied);
  EXPECT_EQ(applied.error().code, base::ErrorCode::kTooLarge);
}

// By torchvision's int(round((side - crop) / 2.0)): ties go to even.
TEST(CenterCrop, TakesTheMiddle) {
  EXPECT_EQ(source_after(CenterCrop{{224, 224}}, 256, 257), (Left{{16, 224}, {16, 224}}));  // 16.5
  EXPECT_EQ(source_after(CenterCrop{{224, 224}}, 259, 224), (Left{{18, 224}, {0, 224}}));   // 17.5
}

// A picture of 3 columns in 8: two black ones before, three after.
TEST(CenterCrop, PadsWhatIsSmaller) {
  const Picture picture = after(CenterCrop{{8, 2}}, 3, 2);
  EXPECT_EQ(picture.x.length(), 8);
  EXPECT_EQ(picture.x.source(), (Span{0, 3}));
  for (int column = 0; column < 8; ++column) {
    EXPECT_EQ(picture.x.reach_of(column).seen.count, column >= 2 && column < 5 ? 1 : 0) << column;
  }
}

TEST(RandomCrop, EveryPlaceIsEquallyLikely) {
  std::vector<int> counts(15);
  for (std::uint64_t sample = 0; sample < 15'000; ++sample) {
    const Left left = source_after(RandomCrop{.size = {6, 8}}, 10, 10, sample);
    ASSERT_EQ(left.x.count, 6);
    ASSERT_EQ(left.y.count, 8);
    ++counts.at(static_cast<std::size_t>(left.x.first * 3 + left.y.first));
  }
  for (const int count : counts) EXPECT_NEAR(count, 1000, 150);  // five standard deviations
}

TEST(RandomCrop, PaddingReachesBeyondThePicture) {
  bool before = false, beyond = false;
  for (std::uint64_t sample = 0; sample < 200; ++sample) {
    const Picture picture = after(
        RandomCrop{.size = {32, 32}, .pad_left = 4, .pad_top = 4, .pad_right = 4, .pad_bottom = 4},
        32, 32, sample);
    EXPECT_EQ(picture.x.length(), 32);
    EXPECT_GE(picture.x.source().count, 28);
    before |= picture.x.reach_of(3).seen.count == 0;
    beyond |= picture.y.reach_of(28).seen.count == 0;
  }
  EXPECT_TRUE(before);
  EXPECT_TRUE(beyond);
}

TEST(RandomCrop, ALargerCropIsAnErrorUnlessItMayPad) {
  Picture picture{Axis(30), Axis(40)};
  const auto applied = apply(RandomCrop{.size = {32, 32}}, stream_of(0), picture);
  ASSERT_FALSE(applied);
  EXPECT_NE(applied.error().message.find("32 x 32"), std::string::npos);
  EXPECT_NE(applied.error().message.find("30 x 40"), std::string::npos);
  EXPECT_EQ(size_of(RandomCrop{.size = {32, 32}, .pad_if_needed = true}, 30, 40), (Size{32, 32}));
}

TEST(Flip, HappensAsOftenAsAsked) {
  for (const double probability : {0.0, 0.25, 1.0}) {
    int flips = 0;
    for (std::uint64_t sample = 0; sample < 10'000; ++sample) {
      const Picture picture = after(RandomHorizontalFlip{probability}, 3, 3, sample);
      flips += picture.x.reach_of(0).source.first == 2 ? 1 : 0;
      EXPECT_EQ(picture.y, Axis(3));
    }
    EXPECT_NEAR(flips, probability * 10'000, 220);
  }
  EXPECT_EQ(after(RandomVerticalFlip{1}, 3, 3).y.reach_of(0).source.first, 2);
}

// On a picture so large that no attempt fails and rounding does not matter, area and logarithm of
// the ratio are even over their ranges, and so is the place.
TEST(RandomResizedCrop, AreaShapeAndPlaceAreEven) {
  const RandomResizedCrop step{.size = {224, 224}, .scale_low = 0.1, .scale_high = 0.4};
  constexpr int kSide = 10'000, kParts = 20, kSamples = 1000 * kParts;
  std::vector<int> areas(kParts), ratios(kParts), lefts(kParts), tops(kParts);
  const auto count = [](std::vector<int>& counts, double unit) {
    ++counts[static_cast<std::size_t>(std::min(std::max(unit, 0.0), 0.999999) * kParts)];
  };
  for (std::uint64_t sample = 0; sample < kSamples; ++sample) {
    const Left left = source_after(step, kSide, kSide, sample);
    const auto w = static_cast<double>(left.x.count), h = static_cast<double>(left.y.count);
    count(areas, (w * h / kSide / kSide - 0.1) / 0.3);
    count(ratios, (std::log(w / h) - std::log(0.75)) / (2 * std::log(4.0 / 3)));
    count(lefts, static_cast<double>(left.x.first) / (kSide - w + 1));
    count(tops, static_cast<double>(left.y.first) / (kSide - h + 1));
  }
  for (const auto* counts : {&areas, &ratios, &lefts, &tops}) {
    for (const int part : *counts) EXPECT_NEAR(part, 1000, 160);  // five standard deviations
  }
}

TEST(RandomResizedCrop, StaysWithinThePictureAndItsBounds) {
  const RandomResizedCrop step{.size = {7, 5}};
  for (std::uint64_t sample = 0; sample < 3000; ++sample) {
    DrawStream draw = Draws(1, 1, sample).stream(1);
    const int width = 1 + static_cast<int>(draw.below(400)),
              height = 1 + static_cast<int>(draw.below(400));
    const Picture picture = after(step, width, height, sample);
    ASSERT_EQ(picture.x.length(), 7);
    ASSERT_EQ(picture.y.length(), 5);
    const Span x = picture.x.source(), y = picture.y.source();
    ASSERT_GE(x.count, 1);
    ASSERT_LE(x.end(), width);
    ASSERT_GE(x.first, 0);
    ASSERT_GE(y.count, 1);
    ASSERT_LE(y.end(), height);
    ASSERT_GE(y.first, 0);
  }
}

// Where no box of the wanted shape fits: all of the shorter side, and what the bound leaves of the
// longer one.
TEST(RandomResizedCrop, FallsBackToTheMiddle) {
  const RandomResizedCrop whole{.size = {224, 224}, .scale_low = 1, .scale_high = 1};
  EXPECT_EQ(source_after(whole, 100, 1000),
            (Left{{0, 100}, {433, 133}}));  // 100 / 0.75 = 133.3; (1000 - 133) / 2
  EXPECT_EQ(source_after(whole, 1000, 90), (Left{{440, 120}, {0, 90}}));
  const RandomResizedCrop square{
      .size = {8, 8}, .scale_low = 1, .scale_high = 1, .ratio_low = 1, .ratio_high = 1};
  EXPECT_EQ(source_after(square, 50, 50), (Left{{0, 50}, {0, 50}}));
  // Ties to even: 5 * 0.5 = 2.5 becomes 2.
  const RandomResizedCrop flat{
      .size = {8, 8}, .scale_low = 1, .scale_high = 1, .ratio_low = 0.5, .ratio_high = 0.5};
  EXPECT_EQ(source_after(flat, 900, 5).x.count, 2);
  EXPECT_EQ(
      source_after(RandomResizedCrop{.size = {2, 2}, .ratio_low = 100, .ratio_high = 100}, 1, 1),
      (Left{{0, 1}, {0, 1}}));
}

// timm's interpolation "random".
TEST(RandomResizedCrop, EitherFilterIsAsLikelyAndTheBoxIsTheSame) {
  constexpr int kSamples = 4000;
  const RandomResizedCrop one{.size = {7, 5}};
  const RandomResizedCrop either{.size = {7, 5}, .or_bicubic = true};
  int bicubic = 0;
  for (std::uint64_t sample = 0; sample < kSamples; ++sample) {
    const Picture picture = after(either, 90, 70, sample);
    EXPECT_EQ(picture.x.filter(), picture.y.filter());
    if (picture.x.filter() == Filter::kBicubic) {
      ++bicubic;
      continue;  // it looks at more pixels of the source
    }
    EXPECT_EQ(source_after(either, 90, 70, sample), source_after(one, 90, 70, sample));
  }
  EXPECT_NEAR(bicubic, kSamples / 2, 4 * std::sqrt(kSamples / 4.0));  // four standard deviations
}

TEST(Steps, RefuseParametersOutOfBounds) {
  const auto message = [](const auto& step) {
    const auto checked = check(step);
    return checked ? std::string() : checked.error().message;
  };
  EXPECT_EQ(message(CenterCrop{{224, 0}}), "the height is 0; it must be 1 to 16384");
  EXPECT_EQ(message(Resize{{16'385, 5}}), "the width is 16385; it must be 1 to 16384");
  EXPECT_EQ(message(ResizeShorter{-1}), "the side is -1; it must be 1 to 16384");
  EXPECT_NE(message(RandomCrop{.size = {5, 5}, .pad_top = -1}), "");
  EXPECT_NE(message(RandomResizedCrop{.size = {5, 5}, .scale_low = 0}), "");
  EXPECT_NE(message(RandomResizedCrop{.size = {5, 5}, .scale_low = 0.9, .scale_high = 0.8}), "");
  EXPECT_NE(message(RandomResizedCrop{.size = {5, 5}, .scale_high = 1.5}), "");
  EXPECT_NE(message(RandomResizedCrop{.size = {5, 5}, .ratio_low = NAN}), "");
  EXPECT_NE(message(RandomHorizontalFlip{1.01}), "");
  EXPECT_NE(message(RandomVerticalFlip{NAN}), "");
  EXPECT_EQ(message(RandomResizedCrop{.size = {224, 224}}), "");
}

}  // namespace
}  // namespace flatout::data::transform
