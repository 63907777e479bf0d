#include "data/transform/sample/levels.h"

#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <fstream>
#include <limits>
#include <sstream>
#include <string>

#include "data/transform/checksum.h"

namespace flatout::data::transform {
namespace {

NumberType type_named(const std::string& name) {
  return name == "float32"   ? NumberType::kFloat32
         : name == "float16" ? NumberType::kFloat16
                             : NumberType::kBfloat16;
}

Scaling scaling_named(const std::string& name) {
  return name == "divide"     ? Scaling::kDivide
         : name == "multiply" ? Scaling::kMultiply
                              : Scaling::kNone;
}

TEST(Levels, AreTorchsToTheLastBit) {
  std::ifstream stored(FLATOUT_SOURCE_DIR "/tests/data/torch_levels.txt");
  ASSERT_TRUE(stored);
  int cases = 0;
  for (std::string line; std::getline(stored, line); ++cases) {
    std::istringstream words(line);
    std::uint32_t mean = 0, std = 0, checksum = 0;
    std::string scaling, type;
    words >> std::hex >> mean >> std >> scaling >> type >> checksum;
    const float m = std::bit_cast<float>(mean);
    const float s = std::bit_cast<float>(std);
    const auto made = levels({{m, m, m}, {s, s, s}, scaling_named(scaling)}, type_named(type));
    ASSERT_TRUE(made) << line;
    EXPECT_EQ(type == "float32" ? crc32(made->float32[1], sizeof made->float32[1])
                                : crc32(made->bits16[1], sizeof made->bits16[1]),
              checksum)
        << line;
  }
  EXPECT_GE(cases, 100);
}

TEST(Levels, AreUsuallyTheSameWithoutDivision) {
  const Normalization usual[] = {
      {},
      {{0.485F, 0.456F, 0.406F}, {0.229F, 0.224F, 0.225F}},
      {{0.5F, 0.5F, 0.5F}, {0.5F, 0.5F, 0.5F}},
      {{0.4914F, 0.4822F, 0.4465F}, {0.2470F, 0.2435F, 0.2616F}},
      {{0.48145466F, 0.4578275F, 0.40821073F}, {0.26862954F, 0.26130258F, 0.27577711F}},
      {{0.1307F, 0.1307F, 0.1307F}, {0.3081F, 0.3081F, 0.3081F}}};
  for (Normalization one : usual) {
    for (one.scaling = Scaling::kDivide; one.scaling != Scaling::kNone;
         one.scaling = static_cast<Scaling>(static_cast<int>(one.scaling) + 1))
      EXPECT_TRUE(levels(one, NumberType::kFloat32)->without_division) << one.mean[0];
  }
  // 0 / -1 is a negative zero, which the sum of two products is not.
  EXPECT_FALSE(levels({{0, 0, 0}, {1, 1, -1}}, NumberType::kFloat32)->without_division);
}

TEST(Levels, RefusesWhatCannotBeDividedBy) {
  const float infinite = std::numeric_limits<float>::infinity();
  const auto zero = levels({{0, 0, 0}, {1, 0, 1}}, NumberType::kFloat32);
  ASSERT_FALSE(zero);
  EXPECT_NE(zero.error().message.find("standard deviation of channel 1"), std::string::npos)
      << zero.error().message;
  EXPECT_FALSE(levels({{0, 0, 0}, {1, 1, NAN}}, NumberType::kFloat32));
  EXPECT_FALSE(levels({{0, 0, 0}, {1, 1, infinite}}, NumberType::kFloat32));
  EXPECT_FALSE(levels({{infinite, 0, 0}, {1, 1, 1}}, NumberType::kFloat32));
}

// By the format's definition, for every number of 16 bits that is positive and finite.
float half_value(std::uint32_t bits) {
  const int exponent = static_cast<int>(bits >> 10);
  const auto fraction = static_cast<float>(bits & 0x3FFU);
  return exponent == 0 ? std::ldexp(fraction, -24) : std::ldexp(1024 + fraction, exponent - 25);
}

TEST(Float16, EveryNumberAndEveryMiddleIsRoundedToTheNearest) {
  for (std::uint32_t bits = 0; bits < 0x7BFFU; ++bits) {
    const float low = half_value(bits);
    const float high = half_value(bits + 1);
    const float middle = low + (high - low) / 2;  // exact: float32 has bits to spare
    ASSERT_EQ(float16_bits(low), bits);
    ASSERT_EQ(float16_bits(-low), bits | 0x8000U);
    ASSERT_EQ(float16_bits(middle), bits + (bits & 1));  // to even
    ASSERT_EQ(float16_bits(std::nextafter(middle, low)), bits);
    ASSERT_EQ(float16_bits(std::nextafter(middle, high)), bits + 1);
  }
  EXPECT_EQ(float16_bits(65504), 0x7BFF);
  EXPECT_EQ(float16_bits(65519), 0x7BFF);
  EXPECT_EQ(float16_bits(65520), 0x7C00);
  EXPECT_EQ(float16_bits(-1e30F), 0xFC00);
  EXPECT_EQ(float16_bits(1e-30F), 0);
}

TEST(Bfloat16, TiesGoToEven) {
  EXPECT_EQ(bfloat16_bits(1.0F), 0x3F80);
  EXPECT_EQ(bfloat16_bits(std::bit_cast<float>(0x3F808000U)), 0x3F80);
  EXPECT_EQ(bfloat16_bits(std::bit_cast<float>(0x3F818000U)), 0x3F82);
  EXPECT_EQ(bfloat16_bits(std::bit_cast<float>(0x3F808001U)), 0x3F81);
  EXPECT_EQ(bfloat16_bits(-0.0F), 0x8000);
}

}  // namespace
}  // namespace flatout::data::transform
