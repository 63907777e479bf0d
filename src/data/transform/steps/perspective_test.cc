// RandomPerspective: what it draws, and the eight numbers of what it drew.
#include <gtest/gtest.h>

#include <cmath>
#include <map>

#include "data/transform/steps/steps.h"

namespace flatout::data::transform {
namespace {

Point shown(const Warp& warp, const Point& at) {
  const double away = warp.vanishing[0] * at.x + warp.vanishing[1] * at.y + 1;
  return {(warp.matrix[0] * at.x + warp.matrix[1] * at.y + warp.matrix[2]) / away,
          (warp.matrix[3] * at.x + warp.matrix[4] * at.y + warp.matrix[5]) / away};
}

Picture after(const RandomPerspective& step, std::uint64_t sample) {
  Picture picture{Axis(101), Axis(60)};
  EXPECT_TRUE(apply(step, Draws(5, 0, sample).stream(0), picture));
  return picture;
}

// Numbers that torch 2.13 gives (torchvision's _get_perspective_coeffs).
TEST(RandomPerspective, NumbersAreTorchs) {
  const Point seen[4] = {{17, 30}, {180, 11}, {211, 200}, {3, 190}};
  const Warp warp = perspective(224, 224, seen, {});
  const float matrix[6] = {1.73305476F,  0.151642293F, -34.0112F,
                           0.219067544F, 1.8793689F,   -60.105217F};
  const float vanishing[2] = {0.00130384706F, 0.00174084981F};
  for (int i = 0; i < 6; ++i) EXPECT_EQ(static_cast<float>(warp.matrix[i]), matrix[i]) << i;
  for (int i = 0; i < 2; ++i) EXPECT_EQ(static_cast<float>(warp.vanishing[i]), vanishing[i]) << i;
  EXPECT_EQ(warp.width, 224);
  EXPECT_TRUE(warp.perspective);
}

TEST(RandomPerspective, CornersAreSeenWhereTheyWereMoved) {
  const Point seen[4] = {{5, 3}, {90, 9}, {99, 55}, {2, 58}};
  const Warp warp = perspective(101, 60, seen, {.filter = WarpFilter::kBicubic, .fill = {1, 2, 3}});
  const Point corners[4] = {{0, 0}, {100, 0}, {100, 59}, {0, 59}};
  for (int i = 0; i < 4; ++i) {
    EXPECT_NEAR(shown(warp, seen[i]).x, corners[i].x, 1e-4);
    EXPECT_NEAR(shown(warp, seen[i]).y, corners[i].y, 1e-4);
  }
  EXPECT_EQ(warp.filter, WarpFilter::kBicubic);
  EXPECT_EQ(warp.fill[2], 3);
  const Point flat[4] = {{5, 3}, {90, 3}, {50, 3}, {2, 58}};
  EXPECT_TRUE(std::isnan(perspective(101, 60, flat, {}).matrix[0]));
}

// Where the upper left corner of the picture is seen: every place equally often.
TEST(RandomPerspective, EveryPlaceIsEquallyLikely) {
  std::map<int, int> across;
  std::map<int, int> down;
  constexpr int kSamples = 2600;
  for (std::uint64_t sample = 0; sample < kSamples; ++sample) {
    const Picture picture = after({.distortion = 0.5, .probability = 1}, sample);
    const Warp& warp = std::get<Warp>(picture.changes.at(0));
    // Solved for the place that shows (0, 0).
    const double a = warp.matrix[0], b = warp.matrix[1], d = warp.matrix[3], e = warp.matrix[4];
    const double area = a * e - b * d;
    ++across[static_cast<int>(std::lround((b * warp.matrix[5] - e * warp.matrix[2]) / area))];
    ++down[static_cast<int>(std::lround((d * warp.matrix[2] - a * warp.matrix[5]) / area))];
  }
  EXPECT_EQ(across.size(), 26U);  // 0 to half of half the width
  EXPECT_EQ(across.rbegin()->first, 25);
  EXPECT_EQ(down.size(), 16U);
  EXPECT_EQ(down.rbegin()->first, 15);
  for (const auto& [place, count] : across) EXPECT_NEAR(count, kSamples / 26, 50) << place;
}

TEST(RandomPerspective, HappensAsOftenAsAskedAndChecksItsBounds) {
  int happened = 0;
  for (std::uint64_t sample = 0; sample < 1000; ++sample)
    happened += after({.probability = 0.3}, sample).changes.empty() ? 0 : 1;
  EXPECT_NEAR(happened, 300, 75);
  EXPECT_TRUE(check(RandomPerspective{.distortion = 0}));
  EXPECT_FALSE(check(RandomPerspective{.distortion = 1.01}));
  EXPECT_FALSE(check(RandomPerspective{.distortion = std::nan("")}));
  EXPECT_FALSE(check(RandomPerspective{.probability = -1}));
  Picture tiny{Axis(1), Axis(1)};
  EXPECT_TRUE(apply(RandomPerspective{.probability = 1}, Draws(1, 1, 1).stream(0), tiny));
}

}  // namespace
}  // namespace flatout::data::transform
