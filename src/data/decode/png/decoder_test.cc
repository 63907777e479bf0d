// PngDecoder against the pixels that files were made of: all kinds, boxes, damaged files. What
// Pillow makes of the same kinds: tests/data/test_formats.py.
#include "data/decode/png/decoder.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "data/decode/image_decoder.h"
#include "data/decode/png/png_for_test.h"

namespace flatout::data {
namespace {

using base::ErrorCode;
using testing::HasSubstr;
using Files = std::vector<std::byte>;

Files bytes_of(const std::string& text) {
  Files out;
  for (const char c : text) out.push_back(static_cast<std::byte>(c));
  return out;
}

PngRecipe random_recipe(TestRandom& random) {
  constexpr PngColour kColours[] = {PngColour::kGrey, PngColour::kRgb, PngColour::kPalette,
                                    PngColour::kGreyAlpha, PngColour::kRgbAlpha};
  PngRecipe recipe = {
      .width = 1 + random.below(70),
      .height = 1 + random.below(40),
      .depth = 8,
      .colour = kColours[random.below(5)],
      .interlaced = random.below(3) == 0,
      .level = random.below(10),
      .strategy = random.below(5),
      .filter = random.below(6) - 1,
      .piece = random.below(2) == 0 ? 0 : static_cast<std::size_t>(random.below(200)) + 1,
      .noise = random.below(3) * 100,
      .seed = random.next()};
  if (recipe.colour == PngColour::kGrey)
    recipe.depth = 1 << random.below(5);
  else if (recipe.colour == PngColour::kPalette)
    recipe.depth = 1 << random.below(4);
  else
    recipe.depth = 8 << random.below(2);
  return recipe;
}

void expect_boxes(PngDecoder& decoder, const PngForTest& png, TestRandom& random) {
  const auto header = decoder.open(png.file);
  ASSERT_TRUE(header) << header.error().message;
  const Box whole = {.width = png.pixels.width, .height = png.pixels.height};
  for (int i = 0; i < 4; ++i) {
    Box box = whole;
    if (i > 0) {
      box = {.left = random.below(whole.width), .top = random.below(whole.height)};
      box.width = 1 + random.below(whole.width - box.left);
      box.height = 1 + random.below(whole.height - box.top);
    }
    const auto view = decoder.decode(box);
    ASSERT_TRUE(view) << view.error().message;
    EXPECT_TRUE(is_box_of(*view, png.pixels, box)) << i;
  }
}

TEST(PngTest, EveryKindAndEveryBox) {
  TestRandom random(5);
  PngDecoder best;
  PngDecoder plain(kPillowsMostPixels, baseline::kPngKernels);
  for (int i = 0; i < 160; ++i) {
    const PngRecipe recipe = random_recipe(random);
    SCOPED_TRACE("colour " + std::to_string(static_cast<int>(recipe.colour)) + " depth " +
                 std::to_string(recipe.depth) + " " + std::to_string(recipe.width) + "x" +
                 std::to_string(recipe.height) + (recipe.interlaced ? " interlaced" : "") +
                 " filter " + std::to_string(recipe.filter) + " level " +
                 std::to_string(recipe.level) + " strategy " + std::to_string(recipe.strategy));
    const PngForTest png = make_png(recipe);
    expect_boxes(i % 2 == 0 ? best : plain, png, random);
    if (HasFailure()) return;
  }
}

// Larger than the window and what is decompressed at a time, with rows that are, too.
TEST(PngTest, LargeOnes) {
  TestRandom random(6);
  PngDecoder decoder;
  for (const int noise : {0, 3, 255}) {
    for (const int level : {0, 6}) {
      expect_boxes(decoder, make_png({.width = 400, .height = 120, .level = level, .noise = noise}),
                   random);
      expect_boxes(decoder, make_png({.width = 30000, .height = 3, .level = level, .noise = noise}),
                   random);
    }
  }
}

TEST(PngTest, AnyCutIsAnErrorOrTheWhole) {
  const PngForTest png = make_png({.width = 30, .height = 20, .piece = 150, .noise = 200});
  PngDecoder decoder;
  for (std::size_t size = 0; size + 30 < png.file.size(); ++size) {
    const Files cut(png.file.begin(), png.file.begin() + static_cast<std::ptrdiff_t>(size));
    if (!decoder.open(cut)) continue;
    EXPECT_FALSE(decoder.decode({.width = 30, .height = 20})) << size;
  }
}

std::string with_rows(const std::string& data, int width = 2, int height = 2) {
  return std::string(kPngSignature) + png_header(width, height, 8, PngColour::kGrey) +
         png_chunk("IDAT", data) + png_chunk("IEND", "");
}

std::string outcome(const std::string& text) {
  const Files file = bytes_of(text);
  PngDecoder decoder;
  const auto header = decoder.open(file);
  if (!header) return header.error().message;
  const auto view = decoder.decode({.width = header->width, .height = header->height});
  if (!view) return view.error().message;
  std::string out;
  for (int y = 0; y < view->height; ++y) {
    for (int x = 0; x < view->width; ++x)
      out += std::to_string(view->row(y)[std::ptrdiff_t{3} * x]) + " ";
  }
  return out;
}

// As Pillow has it: data that end between two rows leave black, all other shortcomings are errors.
TEST(PngTest, DataThatAreNotTheRows) {
  const std::string rows("\0\1\2\0\3\4", 6);
  EXPECT_EQ(outcome(with_rows(zlib_data(rows))), "1 2 3 4 ");
  EXPECT_EQ(outcome(with_rows(zlib_data(rows + "more"))), "1 2 3 4 ");
  EXPECT_EQ(outcome(with_rows(zlib_data(rows), 2, 3)), "1 2 3 4 0 0 ");
  EXPECT_THAT(outcome(with_rows(zlib_data(rows.substr(0, 5)))), HasSubstr("cut"));
  EXPECT_THAT(outcome(with_rows(zlib_data(""))), HasSubstr("cut"));
  EXPECT_THAT(outcome(with_rows("")), HasSubstr("cut"));
  EXPECT_THAT(outcome(with_rows(zlib_data("\5" + rows.substr(1)))), HasSubstr("filtered"));
  std::string data = zlib_data(rows);
  data.back() ^= 1;
  EXPECT_THAT(outcome(with_rows(data)), HasSubstr("checksum is wrong"));
  data.resize(data.size() - 2);
  EXPECT_EQ(outcome(with_rows(data)), "1 2 3 4 ");
  EXPECT_THAT(outcome(with_rows("\x78\x9d" + data.substr(2))), HasSubstr("begin as zlib's"));
  EXPECT_THAT(outcome(with_rows("\x78\x9c\x07" + data.substr(3))), HasSubstr("no compressed data"));
}

TEST(PngTest, HostileHeaders) {
  const auto sized = [](int width, int height) {
    return std::string(kPngSignature) + png_header(width, height, 16, PngColour::kRgbAlpha) +
           png_chunk("IDAT", zlib_data(std::string(100, '\0'))) + png_chunk("IEND", "");
  };
  EXPECT_THAT(outcome(sized(100000, 100000)), HasSubstr("100000 x 100000 pixels are above"));
  EXPECT_THAT(outcome(sized(178000000, 1)),
              HasSubstr("cannot hold"));  // and takes no memory for it
  EXPECT_THAT(outcome(sized(0, 5)), HasSubstr("no size"));
  EXPECT_THAT(outcome(sized(-1, 5)), HasSubstr("no size"));
  std::string bad = with_rows(zlib_data(std::string("\0\1\2\0\3\4", 6)));
  bad[24] = 3;  // the depth, and so the checksum
  EXPECT_THAT(outcome(bad), HasSubstr("not in the standard"));
  bad[24] = 16;
  EXPECT_THAT(outcome(bad), HasSubstr("checksum of its IHDR"));
  const std::string before = std::string(kPngSignature) + png_header(1, 1, 8, PngColour::kPalette);
  EXPECT_THAT(outcome(before + png_chunk("PLTE", std::string(771, 'x'))), HasSubstr("256 colours"));
  EXPECT_THAT(outcome(before + png_chunk("cHRM", "x")), HasSubstr("cHRM chunk is too short"));
  EXPECT_THAT(outcome(before + png_chunk("IEND", "")), HasSubstr("no pixels"));
}

// Boxes of turned pictures are boxes of the whole turned one. (That it is turned the right way:
// tests/data/test_formats.py.)
TEST(ImageDecoderTest, TurnedAsTheCameraSays) {
  for (int orientation = 1; orientation <= 8; ++orientation) {
    const std::string exif("Exif\0\0II*\0\x08\0\0\0\1\0\x12\1\3\0\1\0\0\0", 24);
    JpegRecipe recipe = {.width = 40, .height = 24, .exif = {exif.begin(), exif.end()}};
    recipe.exif.insert(recipe.exif.end(), {static_cast<std::uint8_t>(orientation), 0, 0, 0});
    const auto file = make_jpeg(recipe);
    ImageDecoder decoder({.exif_orientation = true});
    const auto size = decoder.open(file);
    ASSERT_TRUE(size);
    EXPECT_EQ(size->width, orientation < 5 ? 40 : 24) << orientation;
    const auto whole = decoder.decode({.width = size->width, .height = size->height});
    ASSERT_TRUE(whole);
    Pixels copy = {.width = size->width, .height = size->height};
    copy.rgb.assign(whole->data, whole->data + whole->stride * whole->height);
    if (orientation == 1) copy = libjpeg_pixels(file).value();
    const Box box = {.left = 3, .top = 5, .width = 17, .height = 11};
    const auto part = decoder.decode(box);
    ASSERT_TRUE(part);
    EXPECT_TRUE(is_box_of(*part, copy, box)) << orientation;
  }
}

TEST(ImageDecoderTest, AFileIsKnownByItsFirstBytes) {
  ImageDecoder decoder;
  const PngForTest png = make_png({.width = 9, .height = 5});
  const auto jpeg = make_jpeg({.width = 8, .height = 6});
  for (int turn = 0; turn < 2; ++turn) {
    EXPECT_EQ(decoder.open(png.file)->width, 9);
    const auto view = decoder.decode({.left = 1, .top = 1, .width = 3, .height = 2});
    ASSERT_TRUE(view);
    EXPECT_TRUE(is_box_of(*view, png.pixels, {.left = 1, .top = 1, .width = 3, .height = 2}));
    EXPECT_EQ(decoder.decode({.width = 9, .height = 5}, 1)->channels, 1);
    EXPECT_EQ(decoder.open(jpeg)->height, 6);
    EXPECT_TRUE(decoder.decode({.width = 8, .height = 6}));
    EXPECT_THAT(decoder.open(bytes_of("GIF89a\1 and so on")).error().message,
                HasSubstr("it begins with \"GIF89a\\x01\\x20\""));
    EXPECT_EQ(decoder.decode({.width = 1, .height = 1}).error().code, ErrorCode::kInvalid);
  }
}

}  // namespace
}  // namespace flatout::data
