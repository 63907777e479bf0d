#include "data/decode/jpeg/headers.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "data/decode/jpeg/jpeg_for_test.h"
#include "data/decode/jpeg/own_decoder.h"

namespace flatout::data {
namespace {

using File = std::vector<std::byte>;
using Next = JpegHeaders::Next;

// Offset of the first marker of this code.
std::size_t find(const File& file, int code) {
  for (std::size_t i = 0; i + 1 < file.size(); ++i) {
    if (file[i] == std::byte{0xFF} && file[i + 1] == static_cast<std::byte>(code)) return i;
  }
  return file.size();
}

File without(const File& file, int code) {
  const std::size_t at = find(file, code);
  const std::size_t length =
      std::to_integer<std::size_t>(file[at + 2]) * 256 + std::to_integer<std::size_t>(file[at + 3]);
  File rest(file.begin(), file.begin() + static_cast<std::ptrdiff_t>(at));
  rest.insert(rest.end(), file.begin() + static_cast<std::ptrdiff_t>(at + 2 + length), file.end());
  return rest;
}

TEST(JpegHeaders, FrameTablesAndScanAreRead) {
  const File file = make_jpeg({.width = 300, .height = 7, .restart_interval = 5});
  JpegHeaders headers(file);
  ASSERT_EQ(headers.open(), Next::kScan);
  EXPECT_EQ(headers.width, 300);
  EXPECT_EQ(headers.height, 7);
  EXPECT_EQ(headers.component_count, 3);
  EXPECT_EQ(headers.frame_type, 0);
  EXPECT_EQ(headers.components[0].h, 2);
  EXPECT_EQ(headers.components[1].quant, 1);
  EXPECT_TRUE(headers.jfif);
  EXPECT_EQ(headers.restart_interval, 5);
  EXPECT_TRUE(headers.dc[0].present && headers.ac[1].present && !headers.ac[2].present);
  EXPECT_EQ(headers.scan().part_count, 3);
  EXPECT_EQ(headers.next_scan(headers.scan().data_begin), Next::kEnd);
  EXPECT_TRUE(own_jpeg_takes(headers));
}

TEST(JpegHeaders, EachOfSeparateScansIsFound) {
  const File file = make_jpeg({.separate_scans = true});
  JpegHeaders headers(file);
  Next next = headers.open();
  for (int i = 0; i < 3; ++i) {
    ASSERT_EQ(next, Next::kScan);
    ASSERT_EQ(headers.scan().part_count, 1);
    EXPECT_EQ(headers.scan().parts[0].component, i);
    next = headers.next_scan(headers.scan().data_begin);
  }
  EXPECT_EQ(next, Next::kEnd);
}

TEST(JpegHeaders, ColoursAreThoseThatLibjpegGuesses) {
  const File rgb = make_jpeg({.h = 1, .v = 1, .colour = JpegRecipe::Colour::kRgb});
  JpegHeaders by_marker(rgb);
  ASSERT_EQ(by_marker.open(), Next::kScan);
  EXPECT_TRUE(by_marker.is_rgb());
  EXPECT_EQ(by_marker.adobe_transform, 0);
  const File bare = without(rgb, 0xEE);
  JpegHeaders by_letters(bare);
  ASSERT_EQ(by_letters.open(), Next::kScan);
  EXPECT_EQ(by_letters.adobe_transform, -1);
  EXPECT_TRUE(by_letters.is_rgb());
  const File ycc = make_jpeg({});
  JpegHeaders headers(ycc);
  ASSERT_EQ(headers.open(), Next::kScan);
  EXPECT_FALSE(headers.is_rgb());
}

TEST(JpegHeaders, WhatOursDoesNotTake) {
  const File file = make_jpeg({.width = 40});
  const File no_quant = without(file, 0xDB);
  JpegHeaders headers(no_quant);
  ASSERT_EQ(headers.open(), Next::kScan);
  EXPECT_FALSE(own_jpeg_takes(headers));
  File twelve_bits = file;
  twelve_bits[find(file, 0xC0) + 4] = std::byte{12};
  JpegHeaders deep(twelve_bits);
  ASSERT_EQ(deep.open(), Next::kScan);
  EXPECT_FALSE(own_jpeg_takes(deep));
}

TEST(JpegHeaders, NoCutReadsBeyondItsEnd) {  // the sanitizers watch
  const File file = make_jpeg({.restart_interval = 2, .exif = {'E', 'x', 'i', 'f', 0, 0}});
  const std::size_t data = JpegHeaders(file).open() == Next::kScan ? find(file, 0xDA) + 14 : 0;
  ASSERT_GT(data, 0U);
  for (std::size_t size = 0; size < data; ++size) {
    const File cut(file.begin(), file.begin() + static_cast<std::ptrdiff_t>(size));
    JpegHeaders headers(cut);
    ASSERT_EQ(headers.open(), Next::kOdd) << size;
  }
}

TEST(JpegHeaders, TheEndMarkerIsLookedForBehindTheHeaders) {
  const auto bytes = [](std::initializer_list<int> list) {
    File file;
    for (const int byte : list) file.push_back(static_cast<std::byte>(byte));
    return file;
  };
  EXPECT_TRUE(jpeg_has_end(bytes({1, 2, 0xFF, 0xD9}), 0));
  EXPECT_TRUE(jpeg_has_end(bytes({1, 0xFF, 0xD9, 0xD9, 7}), 0));
  EXPECT_FALSE(jpeg_has_end(bytes({1, 0xFF, 0xD9, 0xD9, 7}), 2));
  EXPECT_FALSE(jpeg_has_end(bytes({0xD9, 0xFF, 0, 0xD9}), 0));
  EXPECT_FALSE(jpeg_has_end(bytes({0xFF}), 0));
  EXPECT_FALSE(jpeg_has_end({}, 0));
  EXPECT_FALSE(jpeg_has_end(bytes({0xFF, 0xD9}), 5));
}

}  // namespace
}  // namespace flatout::data
