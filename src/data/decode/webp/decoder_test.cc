// WebpDecoder against libwebp's decoding of the whole: boxes, cut files, hostile sizes.
#include "data/decode/webp/decoder.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "data/decode/webp/webp_for_test.h"

namespace flatout::data {
namespace {

using testing::HasSubstr;

TEST(WebpTest, EveryBoxIsThatOfTheWhole) {
  TestRandom random(3);
  WebpDecoder decoder;
  for (int i = 0; i < 60; ++i) {
    const auto file = make_webp({.width = 1 + random.below(90),
                                 .height = 1 + random.below(60),
                                 .lossless = i % 3 == 0,
                                 .alpha = i % 2 == 0,
                                 .quality = static_cast<float>(random.below(101)),
                                 .seed = random.next()});
    const Pixels whole = libwebp_pixels(file);
    const auto info = decoder.open(file);
    ASSERT_TRUE(info) << info.error().message;
    EXPECT_EQ(info->lossless, i % 3 == 0);
    for (int k = 0; k < 6; ++k) {
      Box box = {.width = whole.width, .height = whole.height};
      if (k > 0) {
        box = {.left = random.below(whole.width), .top = random.below(whole.height)};
        box.width = 1 + random.below(whole.width - box.left);
        box.height = 1 + random.below(whole.height - box.top);
      }
      const auto view = decoder.decode(box);
      ASSERT_TRUE(view) << view.error().message;
      ASSERT_TRUE(is_box_of(*view, whole, box)) << i << " " << box.left << " " << box.top;
    }
  }
}

TEST(WebpTest, AnyCutIsAnError) {
  WebpDecoder decoder;
  for (const bool lossless : {false, true}) {
    auto file = make_webp({.width = 40, .height = 30, .lossless = lossless});
    while (!file.empty()) {
      file.pop_back();
      EXPECT_FALSE(decoder.open(file)) << file.size();
    }
  }
}

// A header that declares what is not there: nothing is taken for it.
TEST(WebpTest, HostileSizes) {
  auto file = make_webp({.width = 40, .height = 30, .lossless = true});
  file[21] = file[22] = file[23] = std::byte{0xff};  // 14 bits each, less one: 16384 x 16384
  file[24] = std::byte{0x0f};
  WebpDecoder decoder;
  EXPECT_THAT(decoder.open(file).error().message, HasSubstr("above the limit"));
  WebpDecoder trusting(std::int64_t{1} << 40);
  EXPECT_THAT(trusting.open(file).error().message, HasSubstr("out of proportion"));
  auto lossy = make_webp({.width = 40, .height = 30});
  ASSERT_EQ(lossy[15], std::byte{' '});
  for (const std::size_t at : {26, 28}) {  // 14 bits each: 12000 x 12000
    lossy[at] = std::byte{12000 & 255};
    lossy[at + 1] = std::byte{12000 >> 8};
  }
  const auto refused = decoder.open(lossy);
  ASSERT_FALSE(refused) << "a box of it may be as large as it says";
  EXPECT_THAT(refused.error().message, HasSubstr("12000 x 12000 pixels"));
  EXPECT_THAT(refused.error().message, HasSubstr(std::to_string(lossy.size()) + " bytes"));
}

// The most pixels a byte that libwebp writes: below the bound, whatever the size.
TEST(WebpTest, APictureOfOneColourIsInProportion) {
  const std::vector<std::uint8_t> grey(std::size_t{3} * 2048 * 2048, 128);
  std::uint8_t* out = nullptr;
  const std::size_t size = WebPEncodeRGB(grey.data(), 2048, 2048, 3 * 2048, 1.0F, &out);
  ASSERT_GT(size, 0);
  EXPECT_LT(std::int64_t{4} * 2048 * 2048, static_cast<std::int64_t>(4096 * size));
  WebPFree(out);
}

}  // namespace
}  // namespace flatout::data
