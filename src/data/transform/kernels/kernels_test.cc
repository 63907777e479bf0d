// Every set of loops against the plain one, bit for bit.
#include "data/transform/kernels/kernels.h"

#include <gtest/gtest.h>

#include <bit>
#include <cstring>

#include "data/draws.h"
#include "data/transform/resample/resampled.h"
#include "data/transform/sample/levels.h"

namespace flatout::data::transform {
namespace {

// Of this machine's, the plain loops first.
class Kernel : public testing::Test {
 protected:
  const Kernels& plain = baseline::kernels();
  DrawStream draw = Draws(1, 2, 3).stream(0);
  int side(int most) { return 1 + static_cast<int>(draw.below(static_cast<std::uint32_t>(most))); }
};

struct Way {
  Axis x;
  Axis y;
};

// Crop, resize, crop or pad, flips: all at random.
Way random_way(DrawStream& draw, int width, int height) {
  const auto below = [&](int count) {
    return static_cast<int>(draw.below(static_cast<std::uint32_t>(count)));
  };
  Way way{Axis(width), Axis(height)};
  const auto filter = static_cast<Filter>(below(5));
  for (Axis* axis : {&way.x, &way.y}) {
    const int length = static_cast<int>(axis->length());
    const int kept = 1 + below(length);
    axis->crop(below(length - kept + 1), kept);
    if (below(4) == 0) axis->flip();
    if (below(8) != 0) axis->resize(1 + below(300), filter);
    const int last = static_cast<int>(axis->length());
    if (below(3) == 0) axis->crop(below(last) - below(20), 1 + below(last + 20));
    if (below(2) == 0) axis->flip();
  }
  return way;
}

TEST_F(Kernel, ResamplesAsThePlainOne) {
  const auto all = all_kernels();
  for (int round = 0; round < 150; ++round) {
    const int channels = draw.below(4) == 0 ? 1 : 3;
    const MadeUpPicture picture(side(300), side(300), channels, draw.below(2) ? "noise" : "extreme",
                                draw.bits() % 1000);
    const Way way = random_way(draw, picture.width, picture.height);
    const int pillow_major = draw.below(2) ? 13 : 12;
    Resampler reference(plain);
    const auto expected = resampled(reference, way.x, way.y, picture, pillow_major);
    for (std::size_t i = 1; i < all.size(); ++i) {
      Resampler resampler(*all[i]);
      ASSERT_EQ(resampled(resampler, way.x, way.y, picture, pillow_major), expected)
          << all[i]->name << ", round " << round << ": " << picture.width << " x " << picture.height
          << " to " << way.x.length() << " x " << way.y.length();
    }
  }
}

// Weights of a cubic on black and white overshoot; sums must neither wrap nor saturate on the way.
TEST_F(Kernel, VerticalSumsOfManyRowsAreExact) {
  for (const int count : {1, 2, 3, 64, 1000}) {
    std::vector<std::uint8_t> pixels(static_cast<std::size_t>(count) * kRowPadding);
    for (std::uint8_t& pixel : pixels) pixel = draw.below(2) ? 255 : 0;
    std::vector<const std::uint8_t*> rows;
    for (int i = 0; i < count; ++i) rows.push_back(pixels.data() + std::ptrdiff_t{i} * kRowPadding);
    Axis axis(count);
    axis.resize(1, Filter::kBicubic);
    ColumnPlan plan;
    plan.build(axis);
    std::uint8_t expected[kRowPadding], got[kRowPadding];
    plain.vertical(plan.column(0), rows.data(), kRowPadding, expected);
    for (const Kernels* kernels : all_kernels()) {
      kernels->vertical(plan.column(0), rows.data(), kRowPadding, got);
      EXPECT_EQ(std::memcmp(got, expected, kRowPadding), 0) << kernels->name << ", " << count;
    }
  }
}

TEST_F(Kernel, LooksEveryValueUp) {
  std::uint8_t table[256], bytes[256 + kRowPadding];
  for (std::uint8_t& entry : table) entry = static_cast<std::uint8_t>(draw.bits());
  for (const Kernels* kernels : all_kernels()) {
    for (int i = 0; i < 256 + kRowPadding; ++i) bytes[i] = static_cast<std::uint8_t>(i);
    kernels->look_up(table, bytes, 256);
    EXPECT_EQ(std::memcmp(bytes, table, 256), 0) << kernels->name;
    EXPECT_EQ(bytes[256], 0) << kernels->name << ": wrote beyond";
  }
}

constexpr NumberType kTypes[] = {NumberType::kFloat32, NumberType::kFloat16, NumberType::kBfloat16,
                                 NumberType::kUint8};

TEST_F(Kernel, WritesThePlainOnesNumbersAndNothingBeyond) {
  Normalization normalization{{0.485F, 0.456F, -30.0F}, {0.229F, 1e-4F, 3e4F}};
  std::vector<std::uint8_t> row(864);
  for (std::uint8_t& pixel : row) pixel = static_cast<std::uint8_t>(draw.bits());
  for (const NumberType type : kTypes) {
    normalization.scaling = static_cast<Scaling>(draw.below(3));
    const auto made = levels(normalization, type);
    ASSERT_TRUE(made);
    const auto index = static_cast<std::size_t>(type);
    for (int width = 1; width <= 256; width += width < 40 ? 1 : 27) {
      const std::size_t bytes = static_cast<std::size_t>(width) * bytes_of(type);
      for (const Kernels* kernels : all_kernels()) {
        std::vector<std::byte> expected(3 * bytes + 64, std::byte{0xAB}), got = expected;
        plain.write_mixed[index](*made, row.data(), 288, width, expected.data());
        kernels->write_mixed[index](*made, row.data(), 288, width, got.data());
        EXPECT_EQ(got, expected) << kernels->name << ", " << width;
        EXPECT_EQ(got[3 * bytes], std::byte{0xAB});
        for (int channel = 0; channel < 3; ++channel) {
          std::ranges::fill(expected, std::byte{0xAB});
          got = expected;
          plain.write_plane[index](*made, channel, row.data(), width, expected.data());
          kernels->write_plane[index](*made, channel, row.data(), width, got.data());
          EXPECT_EQ(got, expected) << kernels->name << ", " << width;
          EXPECT_EQ(got[bytes], std::byte{0xAB});
        }
      }
    }
  }
}

TEST_F(Kernel, EveryValueOfEveryChannelIsTheTables) {
  std::vector<std::uint8_t> row(288);
  for (int value = 0; value < 256; ++value)
    row[static_cast<std::size_t>(value)] = static_cast<std::uint8_t>(value);
  for (int round = 0; round < 200; ++round) {
    Normalization normalization{.scaling = static_cast<Scaling>(round % 3)};
    for (int channel = 0; channel < 3; ++channel) {
      normalization.mean[channel] = static_cast<float>(draw.uniform(-1, 1));
      normalization.std[channel] = static_cast<float>(draw.uniform(0.01, 1));
    }
    auto made = levels(normalization, NumberType::kFloat32);
    ASSERT_TRUE(made);
    made->without_division = made->without_division && round % 2 == 0;  // both ways
    for (const Kernels* kernels : all_kernels()) {
      alignas(64) float got[256];
      kernels->write_plane[0](*made, round / 3 % 3, row.data(), 256,
                              reinterpret_cast<std::byte*>(got));
      for (int value = 0; value < 256; ++value) {
        ASSERT_EQ(std::bit_cast<std::uint32_t>(got[value]),
                  std::bit_cast<std::uint32_t>(made->float32[round / 3 % 3][value]))
            << kernels->name;
      }
    }
  }
}

}  // namespace
}  // namespace flatout::data::transform
