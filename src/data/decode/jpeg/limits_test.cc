// What JpegDecoder refuses before it takes memory or does work for it: boxes, sizes, scans.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdint>
#include <string>
#include <vector>

#include "data/decode/jpeg/decoder.h"
#include "data/decode/jpeg/jpeg_for_test.h"
#include "data/decode/jpeg/turbo_decoder.h"

namespace flatout::data {
namespace {

using base::ErrorCode;
using testing::HasSubstr;
using File = std::vector<std::byte>;

TEST(Jpeg, BoxesOutsideOfTheImageAreRefused) {
  JpegDecoder decoder;
  EXPECT_EQ(decoder.decode({.width = 1, .height = 1}).error().code, ErrorCode::kInvalid);
  const File file = make_jpeg({.width = 20, .height = 10});
  ASSERT_TRUE(decoder.open(file));
  const std::vector<Box> boxes = {{0, 0, 0, 5},       {0, 0, 5, 0},         {-1, 0, 5, 5},
                                  {0, -1, 5, 5},      {0, 0, 21, 5},        {16, 0, 5, 5},
                                  {0, 0, 5, 11},      {0, 6, 5, 5},         {5, 5, -2, 2},
                                  {1, 1, 1 << 30, 1}, {2147483647, 0, 1, 1}};
  for (const Box& box : boxes) {
    const auto got = decoder.decode(box);
    ASSERT_FALSE(got);
    EXPECT_EQ(got.error().code, ErrorCode::kInvalid);
  }
  EXPECT_TRUE(decoder.decode({19, 9, 1, 1}));
}

TEST(Jpeg, TooManyPixelsAreRefusedFromTheHeader) {
  const File file = make_jpeg({.width = 100, .height = 50});
  EXPECT_TRUE(JpegDecoder({.max_pixels = 5000}).open(file));
  const auto refused = JpegDecoder({.max_pixels = 4999}).open(file);
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().code, ErrorCode::kTooLarge);
  EXPECT_THAT(refused.error().message, HasSubstr("100 x 50"));
}

// Sets the frame header's height and width.
File with_size(File file, int height, int width) {
  for (std::size_t i = 0; i + 9 < file.size(); ++i) {
    const bool frame = file[i] == std::byte{0xFF} &&
                       (file[i + 1] == std::byte{0xC0} || file[i + 1] == std::byte{0xC2});
    if (!frame) continue;
    const int values[4] = {height >> 8, height & 255, width >> 8, width & 255};
    for (std::size_t k = 0; k < 4; ++k) file[i + 5 + k] = static_cast<std::byte>(values[k]);
    return file;
  }
  return file;
}

TEST(Jpeg, MemoryFollowsTheBoxAndNotTheHeader) {
  JpegDecoder decoder({.max_pixels = std::int64_t{1} << 40});
  const File bomb = with_size(make_jpeg({.width = 64, .height = 64}), 60000, 60000);
  ASSERT_TRUE(decoder.open(bomb));
  EXPECT_TRUE(decoder.decode({0, 0, 16, 8}));  // the data of its first row are there
  const File progressive =
      with_size(make_jpeg({.width = 64, .height = 64, .progressive = true}), 60000, 60000);
  EXPECT_EQ(decoder.open(progressive).error().code, ErrorCode::kTooLarge);
  // Also where its scans are not looked at before.
  EXPECT_EQ(TurboJpeg().decode(progressive, {0, 0, 16, 8}).error().code, ErrorCode::kTooLarge);
}

// Every kind that keeps more than the box: a declared 12000 x 12000 in a file of a few kilobytes.
TEST(Jpeg, APictureThatItsBytesCannotHoldTakesNoMemory) {
  for (const JpegRecipe& recipe : {JpegRecipe{.width = 64, .height = 64},
                                   JpegRecipe{.width = 64, .height = 64, .separate_scans = true}}) {
    JpegDecoder decoder;
    const File file = with_size(make_jpeg(recipe), 12000, 12000);
    ASSERT_TRUE(decoder.open(file));
    for (const int denom : {1, 8}) {
      const auto refused =
          decoder.decode({0, 0, 12000 / denom, 12000 / denom}, JpegColour::kRgb, denom);
      ASSERT_FALSE(refused);
      EXPECT_EQ(refused.error().code, ErrorCode::kTooLarge);
      EXPECT_THAT(refused.error().message, HasSubstr("cannot hold"));
    }
  }
  const File file =
      with_size(make_jpeg({.width = 64, .height = 64, .progressive = true}), 12000, 12000);
  const auto refused = JpegDecoder().open(file);
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().code, ErrorCode::kTooLarge);
  EXPECT_THAT(refused.error().message, HasSubstr("out of proportion"));
}

// A file whose scans are repeated: `scans` times its last one, which costs a few bytes and a walk
// over all blocks.
File with_more_scans(const File& file, int scans) {
  std::size_t last = 0;
  for (std::size_t i = 0; i + 1 < file.size(); ++i) {
    if (file[i] == std::byte{0xFF} && file[i + 1] == std::byte{0xDA}) last = i;
  }
  File out(file.begin(), file.end() - 2);
  for (int i = 0; i < scans; ++i)
    out.insert(out.end(), file.begin() + static_cast<std::ptrdiff_t>(last), file.end() - 2);
  out.insert(out.end(), file.end() - 2, file.end());
  return out;
}

TEST(Jpeg, WorkFollowsTheFileAndNotItsScans) {
  const std::vector<std::uint8_t> grey(std::size_t{3} * 4096 * 4096, 128);
  const File flat = make_jpeg({.width = 4096, .height = 4096, .progressive = true, .pixels = grey});
  TurboJpeg turbo;
  ASSERT_TRUE(turbo.decode(flat, {0, 0, 16, 16}))
      << "a picture of one colour, the least bytes a block";
  const auto visits = turbo.visits();
  EXPECT_GT(visits, 4096 * 4096 / 64);
  EXPECT_LT(visits, std::int64_t{22} * static_cast<std::int64_t>(flat.size()))
      << "as the bound says";
  const File many = with_more_scans(flat, 400);
  const auto refused = turbo.decode(many, {0, 0, 16, 16});
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().code, ErrorCode::kTooLarge);
  EXPECT_THAT(refused.error().message, HasSubstr("work out of proportion"));
  EXPECT_LT(turbo.visits(),
            (1 << 24) + std::int64_t{32} * static_cast<std::int64_t>(many.size()) + 4096);
  const auto before = JpegDecoder().open(many);
  ASSERT_FALSE(before) << "the same from its markers, without a block decoded";
  EXPECT_EQ(before.error().code, ErrorCode::kTooLarge);
  EXPECT_THAT(before.error().message, HasSubstr(std::to_string(many.size()) + " bytes"));
  EXPECT_TRUE(JpegDecoder().open(flat));
  // A file with many bytes for its blocks may have as many scans.
  const File photograph = with_more_scans(
      make_jpeg({.width = 256, .height = 256, .progressive = true, .noise = 120}), 200);
  EXPECT_TRUE(turbo.decode(photograph, {0, 0, 256, 256}));
}

}  // namespace
}  // namespace flatout::data
