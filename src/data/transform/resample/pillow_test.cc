// Resampling against what Pillow gave for the same pictures (tests/data/pillow_resample.py).
#include <gtest/gtest.h>

#include <fstream>
#include <sstream>
#include <string>

#include "data/transform/checksum.h"
#include "data/transform/resample/resampled.h"

namespace flatout::data::transform {
namespace {

std::uint32_t checksum(const std::vector<std::uint8_t>& bytes) {
  return crc32(bytes.data(), bytes.size());
}

TEST(Crc32, GivesTheCatalogueCheckValue) { EXPECT_EQ(crc32("123456789", 9), 0xCBF43926U); }

Filter filter_named(const std::string& name) {
  if (name == "hamming") return Filter::kHamming;
  if (name == "lanczos") return Filter::kLanczos;
  return name == "box" ? Filter::kBox : name == "bilinear" ? Filter::kBilinear : Filter::kBicubic;
}

struct Case {
  std::string line;
  MadeUpPicture picture;
  Axis x;
  Axis y;
  std::int64_t width = 0;
  std::int64_t height = 0;
  std::uint32_t checksum = 0;
};

Case read_case(const std::string& line) {
  std::istringstream words(line);
  std::string mode, pattern, step;
  int width = 0, height = 0;
  std::uint32_t seed = 0;
  words >> mode >> width >> height >> pattern >> seed;
  Case one{line, {width, height, mode == "RGB" ? 3 : 1, pattern, seed}, Axis(width), Axis(height)};
  while (words >> step && step != "=") {
    if (step == "crop") {
      int left = 0, top = 0, w = 0, h = 0;
      words >> left >> top >> w >> h;
      one.x.crop(left, w);
      one.y.crop(top, h);
    } else if (step == "resize") {
      int w = 0, h = 0;
      std::string filter;
      words >> w >> h >> filter;
      one.x.resize(w, filter_named(filter));
      one.y.resize(h, filter_named(filter));
    } else {
      (step == "fliph" ? one.x : one.y).flip();
    }
  }
  words >> one.width >> one.height >> std::hex >> one.checksum;
  return one;
}

TEST(Resampler, IsPillowToTheLastBit) {
  std::ifstream stored(FLATOUT_SOURCE_DIR "/tests/data/pillow_resample.txt");
  ASSERT_TRUE(stored);
  int cases = 0;
  for (std::string line; std::getline(stored, line); ++cases) {
    const Case one = read_case(line);
    EXPECT_EQ(one.x.length(), one.width) << line;
    EXPECT_EQ(one.y.length(), one.height) << line;
    for (const Kernels* kernels : all_kernels()) {
      Resampler resampler(*kernels);
      EXPECT_EQ(checksum(resampled(resampler, one.x, one.y, one.picture)), one.checksum)
          << kernels->name << ": " << line;
    }
  }
  EXPECT_GE(cases, 300);
}

}  // namespace
}  // namespace flatout::data::transform
