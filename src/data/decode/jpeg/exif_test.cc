#include "data/decode/jpeg/exif.h"

#include <gtest/gtest.h>

#include <string>
#include <string_view>

#include "data/decode/unclear_orientation.h"

namespace flatout::data {
namespace {

int orientation_of(const std::string& text) {
  return exif_orientation(std::as_bytes(std::span(text)));
}

const std::string kLittle(
    "Exif\0\0II*"
    "\0\x08\0\0\0\x02\0\x00\x01\x04\0\x01\0\0\0\x64\0\0\0\x12\x01\x03\0\x01\0\0\0\x06\0\0\0",
    40);
const std::string kBig("Exif\0\0MM\0*\0\0\0\x08\0\x01\x01\x12\0\x03\0\0\0\x01\0\x08\0\0", 28);

TEST(JpegExif, BothByteOrders) {
  EXPECT_EQ(orientation_of(kLittle), 6);
  EXPECT_EQ(orientation_of(kBig), 8);
}

TEST(JpegExif, WhatIsNotThereIsUpright) {
  EXPECT_EQ(orientation_of(""), 1);
  EXPECT_EQ(orientation_of("http://ns.adobe.com/xap/1.0/"), 1);
  for (std::size_t size = 0; size < kBig.size() - 2; ++size)
    EXPECT_LE(orientation_of(kBig.substr(0, size)), 1) << size;
}

TEST(JpegExif, WhatIsNotPlainIsNotGuessed) {
  EXPECT_EQ(orientation_of(std::string("Exif\0\0", 6) + "no TIFF header"), 0);
  std::string text = kBig;
  text[19] = 4;  // a long number
  EXPECT_EQ(orientation_of(text), 0);
  text = kBig;
  text[23] = 2;  // two of them
  EXPECT_EQ(orientation_of(text), 0);
}

bool unclear(std::string_view file, int orientation = 1) {
  return is_orientation_unclear(std::as_bytes(std::span(file)), orientation);
}

TEST(UnclearOrientation, OfXmpThatTurnsWhatExifDoesNot) {
  using namespace std::string_view_literals;
  EXPECT_TRUE(unclear("RIFF.. tiff:Orientation=\"6\""));
  EXPECT_TRUE(unclear("<tiff:Orientation>1< <tiff:Orientation>8<"));
  EXPECT_FALSE(unclear("tiff:Orientation=\"6\"", 3)) << "EXIF comes first";
  EXPECT_FALSE(unclear("tiff:Orientation=\"1\" tiff:Orientation"));
  EXPECT_FALSE(unclear("tiff:Orientation=6"));
  EXPECT_TRUE(unclear("", 0));
  EXPECT_FALSE(unclear(""));
}

TEST(UnclearOrientation, InAJpegFileBeforeThePixelsAlone) {
  using namespace std::string_view_literals;
  constexpr auto kXmp = "tiff:Orientation>6"sv;
  const std::string segment = "\xff\xe1" + std::string("\0\x14", 2) + std::string(kXmp);
  EXPECT_TRUE(unclear("\xff\xd8" + segment + "\xff\xda.."));
  EXPECT_FALSE(unclear("\xff\xd8\xff\xda.." + segment));
  EXPECT_TRUE(unclear("\xff\xd8\xff\xe0" + segment)) << "cannot be followed";
  EXPECT_TRUE(unclear("\x89PNG ... XML:com.adobe.xmp\0\1\0"sv));
  EXPECT_FALSE(unclear("\x89PNG ... XML:com.adobe.xmp\0\0\0"sv));
  EXPECT_TRUE(unclear("\x89PNG ... Raw profile type exif"));
}

TEST(JpegExif, ValuesThatTheStandardLacksAreUpright) {
  for (const char value : {'\0', '\x09', '\x7F'}) {
    std::string text = kBig;
    text[25] = value;
    EXPECT_EQ(orientation_of(text), 1);
  }
}

TEST(JpegExif, HostileOffsetsAndCounts) {
  std::string far = kBig;
  far.replace(10, 4, "\xFF\xFF\xFF\xF0", 4);
  EXPECT_EQ(orientation_of(far), 1);
  std::string many = kBig;
  many.replace(14, 2, "\xFF\xFF", 2);
  many[16] = 0;  // the tag is another
  EXPECT_EQ(orientation_of(many), 1);
}

}  // namespace
}  // namespace flatout::data
