// Changes against what Pillow gave for the same pictures (tests/data/pillow_colour.py).
#include <gtest/gtest.h>

#include <cstring>
#include <fstream>
#include <map>
#include <sstream>
#include <string>

#include "data/transform/change/change.h"
#include "data/transform/change/planar.h"
#include "data/transform/checksum.h"
#include "data/transform/resample/resampled.h"

namespace flatout::data::transform {
namespace {

using Kind = ColourChange::Kind;

// Kinds with a factor, and without.
const std::map<std::string, Kind> kWithFactor = {
    {"brightness", Kind::kBrightness}, {"contrast", Kind::kContrast},
    {"saturation", Kind::kSaturation}, {"hue", Kind::kHue},
    {"posterize", Kind::kPosterize},   {"solarize", Kind::kSolarize}};
const std::map<std::string, Kind> kAlone = {{"grey", Kind::kGrey},
                                            {"autocontrast", Kind::kAutoContrast},
                                            {"equalize", Kind::kEqualize},
                                            {"invert", Kind::kInvert}};
const std::map<std::string, WarpFilter> kFilters = {{"nearest", WarpFilter::kNearest},
                                                    {"bilinear", WarpFilter::kBilinear},
                                                    {"bicubic", WarpFilter::kBicubic}};

Change read_change(const std::string& word, std::istream& words, int width, int height) {
  if (kAlone.contains(word)) return ColourChange{kAlone.at(word)};
  if (kFilters.contains(word)) {
    Warp warp{.width = width, .height = height, .filter = kFilters.at(word), .fill = {7, 99, 200}};
    for (double& number : warp.matrix) words >> number;
    return warp;
  }
  if (const auto dash = word.find('-'); dash != std::string::npos) {
    Warp warp{.perspective = true, .width = width, .height = height, .fill = {7, 99, 200}};
    warp.filter = kFilters.at(word.substr(0, dash));
    for (double& number : warp.matrix) words >> number;
    for (double& number : warp.vanishing) words >> number;
    return warp;
  }
  float factor = 0;
  words >> factor;
  if (word == "sharpness") return Sharpening{factor};
  return ColourChange{kWithFactor.at(word), factor};
}

TEST(Changes, ArePillowsToTheLastBit) {
  std::ifstream stored(FLATOUT_SOURCE_DIR "/tests/data/pillow_colour.txt");
  ASSERT_TRUE(stored);
  int cases = 0;
  for (std::string line; std::getline(stored, line); ++cases) {
    std::istringstream words(line);
    std::string mode, pattern, word;
    int width = 0, height = 0;
    std::uint32_t seed = 0, checksum = 0;
    words >> mode >> width >> height >> pattern >> seed;
    const MadeUpPicture picture(width, height, mode == "RGB" ? 3 : 1, pattern, seed);
    std::vector<Change> changes;
    while (words >> word && word != "=") changes.push_back(read_change(word, words, width, height));
    words >> std::hex >> checksum;
    for (const Kernels* kernels : all_kernels()) {
      Planar planar(picture);
      Canvas canvas;
      std::memcpy(canvas.begin(width, height, picture.channels).data, planar.bytes.data(),
                  planar.bytes.size());
      for (const Change& change : changes) canvas.change(change, *kernels);
      planar.pixels = canvas.pixels();
      const auto bytes = planar.interleaved();
      EXPECT_EQ(crc32(bytes.data(), bytes.size()), checksum) << kernels->name << ": " << line;
    }
  }
  EXPECT_GE(cases, 316);
}

}  // namespace
}  // namespace flatout::data::transform
