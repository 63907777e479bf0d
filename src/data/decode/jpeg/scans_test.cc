// What is said of a JPEG file's scans from its markers alone: the kinds that libjpeg-turbo's
// versions do not agree about, and work out of proportion.
#include "data/decode/jpeg/scans.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstddef>
#include <string>
#include <vector>

#include "data/decode/jpeg/decoder.h"
#include "data/decode/jpeg/jpeg_for_test.h"

namespace flatout::data {
namespace {

using base::ErrorCode;
using testing::HasSubstr;
using Colour = JpegRecipe::Colour;
using File = std::vector<std::byte>;

constexpr std::byte kMark{0xFF};
constexpr std::byte kScan{0xDA};

std::string said(const File& file) {
  const auto good = check_jpeg_scans(file);
  return good ? "" : good.error().message;
}

std::vector<std::size_t> scans_of(const File& file) {
  std::vector<std::size_t> out;
  for (std::size_t i = 0; i + 1 < file.size(); ++i) {
    if (file[i] == kMark && file[i + 1] == kScan) out.push_back(i);
  }
  return out;
}

File with_end(File file) {
  file.push_back(kMark);
  file.push_back(std::byte{0xD9});
  return file;
}

TEST(JpegScans, AProgressiveFileThatLacksScansIsRefusedByName) {
  for (const Colour colour : {Colour::kGrey, Colour::kYcc, Colour::kCmyk}) {
    for (const bool arithmetic : {false, true}) {
      const File whole = make_jpeg({.width = 40,
                                    .height = 30,
                                    .colour = colour,
                                    .progressive = true,
                                    .arithmetic = arithmetic});
      EXPECT_EQ(said(whole), "");
      const auto scans = scans_of(whole);
      ASSERT_GT(scans.size(), 5);
      for (const std::size_t cut : scans) {
        const File file =
            with_end({whole.begin(), whole.begin() + static_cast<std::ptrdiff_t>(cut)});
        if (cut == scans.front()) continue;  // without any, it is libjpeg's to say so
        EXPECT_THAT(said(file), HasSubstr("progressive file that lacks scans"));
        JpegDecoder decoder;
        const auto opened = decoder.open(file);
        ASSERT_FALSE(opened);
        EXPECT_EQ(opened.error().code, ErrorCode::kInvalid);
      }
    }
  }
}

TEST(JpegScans, WithoutItsEndAFileIsCutAndNotIncomplete) {
  File file = make_jpeg({.width = 40, .height = 30, .progressive = true});
  file.resize(scans_of(file)[3]);
  JpegDecoder decoder;
  ASSERT_TRUE(decoder.open(file));
  EXPECT_THAT(decoder.decode({0, 0, 40, 30}).error().message, HasSubstr("cut"));
}

// By hand: libjpeg-turbo 2 writes none. Its data are a predictor's differences, all 0.
File lossless_file() {
  const unsigned char bytes[] = {0xFF, 0xD8, 0xFF, 0xC4, 0, 20,   0,   1, 0, 0, 0, 0,    0,
                                 0,    0,    0,    0,    0, 0,    0,   0, 0, 0, 0,           // DHT
                                 0xFF, 0xC3, 0,    11,   8, 0,    8,   0, 8, 1, 1, 0x11, 0,  // SOF3
                                 0xFF, 0xDA, 0,    8,    1, 1,    0,   1, 0, 0, 0, 0,    0,
                                 0,    0,    0,    0,    0, 0xFF, 0xD9};
  const auto* begin = reinterpret_cast<const std::byte*>(bytes);
  return {begin, begin + sizeof bytes};
}

TEST(JpegScans, ALosslessFileIsRefusedByNameWhateverLibjpegReads) {
  EXPECT_THAT(said(lossless_file()), HasSubstr("lossless file (SOF3)"));
  JpegDecoder decoder;
  const auto opened = decoder.open(lossless_file());
  ASSERT_FALSE(opened);
  EXPECT_EQ(opened.error().code, ErrorCode::kInvalid);
  EXPECT_THAT(opened.error().message, HasSubstr("SOF3"));
}

TEST(JpegScans, MoreThanAnyEncoderWrites) {
  const File whole = make_jpeg({.width = 16, .height = 16, .progressive = true});
  const std::size_t last = scans_of(whole).back();
  File file(whole.begin(), whole.end() - 2);
  for (int i = 0; i < kMostJpegScans; ++i)
    file.insert(file.end(), whole.begin() + static_cast<std::ptrdiff_t>(last), whole.end() - 2);
  EXPECT_THAT(said(with_end(file)), HasSubstr("more than 500 scans"));
}

TEST(JpegScans, OtherKindsPass) {
  for (const JpegRecipe& recipe :
       {JpegRecipe{}, JpegRecipe{.arithmetic = true}, JpegRecipe{.separate_scans = true},
        JpegRecipe{.restart_interval = 1, .progressive = true},
        JpegRecipe{.h = 4, .v = 1, .progressive = true}})
    EXPECT_EQ(said(make_jpeg(recipe)), "");
  EXPECT_EQ(said({}), "");
  EXPECT_EQ(said({kMark}), "");
}

// Whatever a byte is changed to, and wherever a file ends: an answer, and nothing read behind it.
TEST(JpegScans, AnyBytes) {
  TestRandom random(5);
  const File whole = make_jpeg({.width = 20, .height = 20, .progressive = true});
  for (std::size_t size = 0; size < whole.size(); ++size)
    (void)said({whole.begin(), whole.begin() + static_cast<std::ptrdiff_t>(size)});
  int refused = 0;
  for (int i = 0; i < 3000; ++i) {
    File file = whole;
    for (int k = 0; k < 3; ++k)
      file[static_cast<std::size_t>(random.below(static_cast<int>(file.size())))] =
          static_cast<std::byte>(random.below(256));
    refused += said(file).empty() ? 0 : 1;
  }
  EXPECT_GT(refused, 0);
}

}  // namespace
}  // namespace flatout::data
