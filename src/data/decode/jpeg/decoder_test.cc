// JpegDecoder against libjpeg-turbo's own decoding: whole images, boxes, damaged files, and what it
// says of those it refuses.
#include "data/decode/jpeg/decoder.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "data/decode/jpeg/jpeg_for_test.h"
#include "data/decode/jpeg/own_decoder.h"
#include "data/decode/jpeg/turbo_decoder.h"

namespace flatout::data {
namespace {

using base::ErrorCode;
using testing::HasSubstr;
using Colour = JpegRecipe::Colour;
using File = std::vector<std::byte>;

Box whole_of(const JpegInfo& info) {
  return {.left = 0, .top = 0, .width = info.width, .height = info.height};
}

std::string text_of(const JpegRecipe& r, const Box& box) {
  return std::to_string(r.width) + "x" + std::to_string(r.height) + " q" +
         std::to_string(r.quality) + " h" + std::to_string(r.h) + "v" + std::to_string(r.v) +
         " colour " + std::to_string(static_cast<int>(r.colour)) + " restart " +
         std::to_string(r.restart_interval) + (r.optimise ? " optimised" : "") +
         (r.separate_scans ? " separate" : "") + " box " + std::to_string(box.width) + "x" +
         std::to_string(box.height) + "+" + std::to_string(box.left) + "+" +
         std::to_string(box.top);
}

// Every box of `boxes` random ones, and the whole, against libjpeg-turbo.
void expect_equal(JpegDecoder& decoder, const JpegRecipe& recipe, TestRandom& random, int boxes,
                  int* own = nullptr) {
  const File file = make_jpeg(recipe);
  const auto expected = libjpeg_pixels(file);
  ASSERT_TRUE(expected);
  const auto info = decoder.open(file);
  ASSERT_TRUE(info) << info.error().message;
  for (int i = 0; i <= boxes; ++i) {
    const Box box = i == 0 ? whole_of(*info) : random_box(random, info->width, info->height);
    const auto got = decoder.decode(box);
    ASSERT_TRUE(got) << got.error().message << text_of(recipe, box);
    ASSERT_TRUE(is_box_of(*got, *expected, box)) << text_of(recipe, box);
    if (own != nullptr) *own += decoder.was_own() ? 1 : 0;
  }
}

TEST(Jpeg, RandomFilesAndBoxesAreAsLibjpegDecodesThem) {
  TestRandom random(11);
  JpegDecoder decoder;
  int own = 0;
  for (int i = 0; i < 250; ++i)
    expect_equal(decoder, random_recipe(random, i % 25 == 0 ? 300 : 70), random, 3, &own);
  EXPECT_GT(own, 900);  // of 1000: all but the narrowest
}

TEST(Jpeg, EverySizeToTwoMcusInEverySampling) {
  TestRandom random(12);
  JpegDecoder decoder;
  for (int h = 1; h <= 2; ++h) {
    for (int v = 1; v <= 2; ++v) {
      for (int size = 1; size <= 34; ++size) {
        expect_equal(decoder,
                     {.width = size,
                      .height = 35 - size,
                      .quality = 95,
                      .h = h,
                      .v = v,
                      .noise = 90,
                      .seed = random.next()},
                     random, 1);
      }
    }
  }
}

TEST(Jpeg, BaselineInstructionsGiveTheSame) {
  TestRandom random(13);
  OwnJpeg decoder(baseline::kJpegKernels);
  int decoded = 0;
  for (int i = 0; i < 60; ++i) {
    const JpegRecipe recipe = random_recipe(random, 70);
    const File file = make_jpeg(recipe);
    JpegHeaders headers(file);
    ASSERT_EQ(headers.open(), JpegHeaders::Next::kScan);
    if (!own_jpeg_takes(headers) || headers.component_count != 3) continue;
    const Box box = random_box(random, recipe.width, recipe.height);
    const auto got = decoder.decode(file, headers, box);
    ASSERT_TRUE(got) << text_of(recipe, box);
    ASSERT_TRUE(is_box_of(*got, *libjpeg_pixels(file), box)) << text_of(recipe, box);
    ++decoded;
  }
  EXPECT_GT(decoded, 30);
}

TEST(Jpeg,
     ManyPiecesOfCodedBytes) {  // more than one buffer of CodedBytes, with and without restarts
  TestRandom random(14);
  JpegDecoder decoder;
  for (const int restart : {0, 7, 400}) {
    expect_equal(
        decoder,
        {.width = 700, .height = 300, .quality = 98, .restart_interval = restart, .noise = 120},
        random, 2);
  }
}

TEST(Jpeg, OtherKindsAreLibjpegs) {
  TestRandom random(15);
  JpegDecoder decoder;
  const std::vector<JpegRecipe> recipes = {
      {.width = 50, .height = 41, .progressive = true},
      {.width = 50, .height = 41, .arithmetic = true},
      {.width = 50, .height = 41, .h = 4, .v = 1},
      {.width = 50, .height = 41, .h = 1, .v = 4},
      {.width = 33, .height = 41, .colour = Colour::kGrey, .progressive = true},
      {.width = 2, .height = 41},
  };
  for (const JpegRecipe& recipe : recipes) {
    int own = 0;
    expect_equal(decoder, recipe, random, 3, &own);
    EXPECT_EQ(own, 0) << text_of(recipe, {});
    const File file = make_jpeg(recipe);
    EXPECT_FALSE(decoder.open(file)->own);
  }
}

TEST(Jpeg, CmykIsConvertedAsPillowDoes) {
  JpegDecoder decoder;
  for (const Colour colour : {Colour::kCmyk, Colour::kYcck}) {
    const File file = make_jpeg(
        {.width = 20, .height = 20, .quality = 100, .h = 1, .v = 1, .colour = colour, .noise = 0});
    const auto raw = libjpeg_pixels(file);  // four channels
    ASSERT_TRUE(raw);
    const auto info = decoder.open(file);
    ASSERT_TRUE(info);
    EXPECT_EQ(info->components, 4);
    const auto got = decoder.decode({.left = 3, .top = 2, .width = 1, .height = 1});
    ASSERT_TRUE(got);
    const std::uint8_t* stored = raw->rgb.data() + std::ptrdiff_t{4} * (2 * 20 + 3);
    for (int i = 0; i < 3; ++i) {
      // Adobe stores 255 - ink: what is left of the paper's white after ink and key.
      const double expected = stored[i] / 255.0 * stored[3];
      EXPECT_NEAR(got->row(0)[i], expected, 1.0);
    }
  }
}

TEST(Jpeg, GreyIsGivenAsAskedFor) {
  JpegDecoder decoder;
  const File grey = make_jpeg({.width = 40, .height = 30, .h = 1, .v = 1, .colour = Colour::kGrey});
  const Box box = {.left = 5, .top = 6, .width = 20, .height = 10};
  ASSERT_EQ(decoder.open(grey)->components, 1);
  const auto expected = libjpeg_pixels(grey);
  const auto one = decoder.decode(box, JpegColour::kGrey);
  ASSERT_TRUE(one);
  ASSERT_EQ(one->channels, 1);
  for (int y = 0; y < 10; ++y) {
    for (std::ptrdiff_t x = 0; x < 20; ++x)
      ASSERT_EQ(one->row(y)[x], expected->view().row(y + 6)[3 * (x + 5)]);
  }
  const File colour = make_jpeg({.width = 40, .height = 30});
  const auto rgb = libjpeg_pixels(colour);
  ASSERT_TRUE(decoder.open(colour));
  const auto luma = decoder.decode(box, JpegColour::kGrey);
  ASSERT_TRUE(luma);
  const std::uint8_t* pixel = rgb->view().row(6) + 15;
  EXPECT_NEAR(luma->row(0)[0], 0.299 * pixel[0] + 0.587 * pixel[1] + 0.114 * pixel[2], 0.51);
}

TEST(Jpeg, NoFileIsShorterThanItself) {
  JpegDecoder decoder;
  const std::vector<JpegRecipe> recipes = {
      {.width = 20, .height = 18},
      {.width = 20, .height = 18, .restart_interval = 1},
      {.width = 20, .height = 18, .separate_scans = true},
      {.width = 20, .height = 18, .progressive = true},
      {.width = 9, .height = 9, .h = 1, .v = 1, .colour = Colour::kGrey}};
  for (const JpegRecipe& recipe : recipes) {
    const File file = make_jpeg(recipe);
    for (std::size_t size = 0; size < file.size(); ++size) {
      const File cut(file.begin(), file.begin() + static_cast<std::ptrdiff_t>(size));
      const auto info = decoder.open(cut);
      const auto got = info ? decoder.decode({0, 0, 1, 1}) : std::unexpected(info.error());
      ASSERT_FALSE(got) << size << " of " << file.size();
      ASSERT_EQ(got.error().code, ErrorCode::kCorrupt) << size << " of " << file.size();
    }
  }
}

TEST(Jpeg, DataThatEndEarlyBeforeAnEndMarkerAreWhatLibjpegMakesOfThem) {
  JpegDecoder decoder;
  for (const int restart : {0, 2}) {
    const File file =
        make_jpeg({.width = 40, .height = 40, .restart_interval = restart, .noise = 90});
    int accepted = 0;
    for (std::size_t size = 2; size < file.size(); size += 3) {
      File cut(file.begin(), file.begin() + static_cast<std::ptrdiff_t>(size));
      cut.insert(cut.end(), {std::byte{0xFF}, std::byte{0xD9}});
      const auto expected = libjpeg_pixels(cut);
      const auto info = decoder.open(cut);
      const auto got = info ? decoder.decode(whole_of(*info)) : std::unexpected(info.error());
      ASSERT_EQ(got.has_value(), expected.has_value()) << size;
      if (!got) continue;
      ++accepted;
      ASSERT_TRUE(is_box_of(*got, *expected, whole_of(*info))) << size;
    }
    EXPECT_GT(accepted, 100);
  }
}

// Flips bytes of small files: whatever both accept must be the same picture.
TEST(Jpeg, DamagedFilesAreWhatLibjpegMakesOfThem) {
  TestRandom random(16);
  JpegDecoder decoder;
  OwnJpeg plain(baseline::kJpegKernels);
  int own = 0;
  int accepted = 0;
  for (int i = 0; i < 100; ++i) {
    const File file = make_jpeg(random_recipe(random, 40));
    for (int k = 0; k < 100; ++k) {
      File bad = file;
      for (int flips = 1 + random.below(3); flips > 0; --flips) {
        bad[static_cast<std::size_t>(random.below(static_cast<int>(bad.size())))] ^=
            static_cast<std::byte>(1 + random.below(255));
      }
      const auto info = decoder.open(bad);
      if (!info || std::int64_t{info->width} * info->height > 10000) continue;
      const auto got = decoder.decode(whole_of(*info));
      if (!got) continue;
      const auto expected = libjpeg_pixels(bad);
      if (!expected || info->components == 4)
        continue;  // an error below the pixels, which we do not look for
      ++accepted;
      own += decoder.was_own() ? 1 : 0;
      ASSERT_TRUE(is_box_of(*got, *expected, whole_of(*info))) << "file " << i << ", damage " << k;
      if (!decoder.was_own() || info->components == 1) continue;
      JpegHeaders headers(bad);
      ASSERT_EQ(headers.open(), JpegHeaders::Next::kScan);
      const auto plainly = plain.decode(bad, headers, whole_of(*info));
      ASSERT_TRUE(plainly && is_box_of(*plainly, *expected, whole_of(*info)))
          << "file " << i << ", damage " << k;
    }
  }
  EXPECT_GT(own, 1000);
  EXPECT_GT(accepted - own, 1000);
}

TEST(Jpeg, ADamagedFileLeavesNothingForTheNext) {
  TestRandom random(17);
  JpegDecoder decoder;
  const File file = make_jpeg({.width = 60, .height = 60, .noise = 90});
  const auto expected = libjpeg_pixels(file);
  for (int i = 0; i < 100; ++i) {
    File bad = file;
    bad[bad.size() / 2 + static_cast<std::size_t>(
                             random.below(static_cast<int>(bad.size() / 2)))] ^= std::byte{0x55};
    if (const auto info = decoder.open(bad); info) (void)decoder.decode(whole_of(*info));
    ASSERT_TRUE(decoder.open(file));
    const auto got = decoder.decode({0, 0, 60, 60});
    ASSERT_TRUE(got);
    ASSERT_TRUE(is_box_of(*got, *expected, {0, 0, 60, 60})) << i;
  }
}

TEST(Jpeg, WhatIsNoJpegIsRefused) {
  JpegDecoder decoder;
  EXPECT_EQ(decoder.open({}).error().code, ErrorCode::kCorrupt);
  const File png = {std::byte{0x89}, std::byte{'P'}, std::byte{'N'}, std::byte{'G'}, std::byte{13}};
  const auto refused = decoder.open(png);
  ASSERT_FALSE(refused);
  EXPECT_THAT(refused.error().message, HasSubstr("Not a JPEG file"));
  const File file = make_jpeg({});
  ASSERT_TRUE(decoder.open(file));
  EXPECT_FALSE(decoder.open(png));
  EXPECT_FALSE(decoder.decode({0, 0, 1, 1}));  // the file before is closed
}

TEST(Jpeg, OrientationIsTold) {
  JpegDecoder decoder;
  const std::string little(
      "Exif\0\0II*\0\x08\0\0\0\x01\0\x12\x01\x03\0\x01\0\0\0\x06\0\0\0\0\0\0\0", 32);
  for (const bool progressive : {false, true}) {
    const File file =
        make_jpeg({.progressive = progressive, .exif = {little.begin(), little.end()}});
    const auto info = decoder.open(file);
    ASSERT_TRUE(info);
    EXPECT_EQ(info->own, !progressive);
    EXPECT_EQ(info->orientation, 6);
  }
}

}  // namespace
}  // namespace flatout::data
