// JPEG files at 1/2, 1/4 and 1/8 of their size: our decoder against libjpeg-turbo's scaled decode,
// and how far both are from the full picture.
#include <gtest/gtest.h>

#include <cmath>
#include <string>
#include <vector>

#include "data/decode/jpeg/decoder.h"
#include "data/decode/jpeg/jpeg_for_test.h"
#include "data/decode/jpeg/own_decoder.h"

namespace flatout::data {
namespace {

using Colour = JpegRecipe::Colour;
using File = std::vector<std::byte>;

std::string text_of(const JpegRecipe& r, int denom, const Box& box) {
  return std::to_string(r.width) + "x" + std::to_string(r.height) + " h" + std::to_string(r.h) +
         "v" + std::to_string(r.v) + " colour " + std::to_string(static_cast<int>(r.colour)) +
         (r.separate_scans ? " separate" : "") + " at 1/" + std::to_string(denom) + ", " +
         std::to_string(box.width) + "x" + std::to_string(box.height) + "+" +
         std::to_string(box.left) + "+" + std::to_string(box.top);
}

TEST(ScaledJpeg, RandomFilesAndBoxesAreAsLibjpegScalesThem) {
  TestRandom random(21);
  JpegDecoder decoder;
  OwnJpeg plain(baseline::kJpegKernels);
  int own = 0;
  for (int i = 0; i < 240; ++i) {
    const JpegRecipe recipe = random_recipe(random, i % 20 == 0 ? 500 : 90);
    const File file = make_jpeg(recipe);
    ASSERT_TRUE(decoder.open(file));
    for (const int denom : {2, 4, 8}) {
      const auto expected = libjpeg_pixels(file, denom);
      const Box box = random_box(random, expected->width, expected->height);
      const auto got = decoder.decode(box, JpegColour::kRgb, denom);
      ASSERT_TRUE(got) << got.error().message;
      ASSERT_TRUE(is_box_of(*got, *expected, box)) << text_of(recipe, denom, box);
      own += decoder.was_own() ? 1 : 0;
      if (!decoder.was_own() || recipe.colour == Colour::kGrey) continue;
      JpegHeaders headers(file);
      ASSERT_EQ(headers.open(), JpegHeaders::Next::kScan);
      const auto plainly = plain.decode(file, headers, box, denom);
      ASSERT_TRUE(plainly && is_box_of(*plainly, *expected, box)) << text_of(recipe, denom, box);
    }
  }
  EXPECT_GT(own, 650);  // of 720
}

TEST(ScaledJpeg, OtherKindsAreLibjpegs) {
  TestRandom random(22);
  JpegDecoder decoder;
  for (const JpegRecipe& recipe : {JpegRecipe{.width = 150, .height = 41, .progressive = true},
                                   JpegRecipe{.width = 50, .height = 141, .h = 4, .v = 1},
                                   JpegRecipe{.width = 5, .height = 41, .h = 2, .v = 1}}) {
    const File file = make_jpeg(recipe);
    ASSERT_TRUE(decoder.open(file));
    for (const int denom : {2, 4, 8}) {
      const auto expected = libjpeg_pixels(file, denom);
      const Box box = random_box(random, expected->width, expected->height);
      const auto got = decoder.decode(box, JpegColour::kRgb, denom);
      ASSERT_TRUE(got);
      ASSERT_TRUE(is_box_of(*got, *expected, box)) << text_of(recipe, denom, box);
    }
  }
}

// A mean of the full picture's pixels, but for rounding: where nothing is clamped, a scaled luma
// sample is just that.
TEST(ScaledJpeg, ASampleIsTheMeanOfThoseItStandsFor) {
  JpegDecoder decoder;
  const File file =
      make_jpeg({.width = 200, .height = 160, .quality = 95, .colour = Colour::kGrey, .noise = 40});
  ASSERT_TRUE(decoder.open(file));
  for (const int denom : {2, 4, 8}) {
    const auto whole = libjpeg_pixels(file);
    const auto got = decoder.decode({0, 0, 200 / denom, 160 / denom}, JpegColour::kGrey, denom);
    ASSERT_TRUE(got && decoder.was_own());
    int compared = 0;
    for (int y = 0; y < got->height; ++y) {
      for (int x = 0; x < got->width; ++x) {
        int sum = 0;
        bool clamped = false;
        for (int i = 0; i < denom * denom; ++i) {
          const int column = x * denom + i % denom;
          const int sample = whole->view().row(y * denom + i / denom)[std::ptrdiff_t{3} * column];
          sum += sample;
          clamped |= sample == 0 || sample == 255;
        }
        compared += clamped ? 0 : 1;
        if (clamped) continue;
        ASSERT_NEAR(got->row(y)[x], static_cast<double>(sum) / (denom * denom), 1.01)
            << denom << ": " << x << ", " << y;
      }
    }
    EXPECT_GT(compared, got->width * got->height / 4);
  }
}

// Flips bytes of small files: whatever both accept must be the same picture.
TEST(ScaledJpeg, DamagedFilesAreWhatLibjpegMakesOfThem) {
  TestRandom random(23);
  JpegDecoder decoder;
  int own = 0;
  int accepted = 0;
  for (int i = 0; i < 60; ++i) {
    const File file = make_jpeg(random_recipe(random, 60));
    for (int k = 0; k < 60; ++k) {
      File bad = file;
      for (int flips = 1 + random.below(3); flips > 0; --flips) {
        bad[static_cast<std::size_t>(random.below(static_cast<int>(bad.size())))] ^=
            static_cast<std::byte>(1 + random.below(255));
      }
      const auto info = decoder.open(bad);
      if (!info || std::int64_t{info->width} * info->height > 10000 || info->components == 4)
        continue;
      const int denom = 2 << k % 3;
      const Box all = {0, 0, scaled_side(info->width, denom), scaled_side(info->height, denom)};
      const auto got = decoder.decode(all, JpegColour::kRgb, denom);
      if (!got) continue;
      const auto expected = libjpeg_pixels(bad, denom);
      if (!expected) continue;  // an error below the pixels
      ++accepted;
      own += decoder.was_own() ? 1 : 0;
      ASSERT_TRUE(is_box_of(*got, *expected, all))
          << "file " << i << ", damage " << k << ", at 1/" << denom;
    }
  }
  EXPECT_GT(own, 400);
  EXPECT_GT(accepted - own, 400);
}

TEST(ScaledJpeg, WhatIsNoScaleOrNotWithinIsRefused) {
  JpegDecoder decoder;
  const File file = make_jpeg({.width = 33, .height = 17});
  ASSERT_TRUE(decoder.open(file));
  for (const int denom : {0, -2, 3, 16}) {
    EXPECT_EQ(decoder.decode({0, 0, 1, 1}, JpegColour::kRgb, denom).error().code,
              base::ErrorCode::kInvalid);
  }
  EXPECT_TRUE(decoder.decode({0, 0, 17, 9}, JpegColour::kRgb, 2));
  EXPECT_FALSE(decoder.decode({0, 0, 18, 9}, JpegColour::kRgb, 2));
  EXPECT_TRUE(decoder.decode({4, 2, 1, 1}, JpegColour::kRgb, 8));
}

}  // namespace
}  // namespace flatout::data
