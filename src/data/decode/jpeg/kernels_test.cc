// The vector code against plain formulas, one instruction set after the other.
#include "data/decode/jpeg/kernels.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

#include "data/decode/jpeg/jpeg_for_test.h"

namespace flatout::data {
namespace {

struct Set {
  const char* name;
  const JpegKernels* kernels;
};

std::vector<Set> sets() {
  std::vector<Set> all = {{"baseline", &baseline::kJpegKernels}};
#if defined(__x86_64__)
  if (__builtin_cpu_supports("x86-64-v3")) all.push_back({"v3", &v3::kJpegKernels});
#endif
  return all;
}

class JpegKernelsTest : public testing::TestWithParam<Set> {
 protected:
  const JpegKernels& kernels() const { return *GetParam().kernels; }
};

constexpr int kMargin = 64;

// Random samples between margins.
std::vector<std::uint8_t> samples(int count, TestRandom& random) {
  std::vector<std::uint8_t> all(static_cast<std::size_t>(count + 2 * kMargin));
  for (std::uint8_t& sample : all) sample = static_cast<std::uint8_t>(random.next());
  return all;
}

int held(double value) { return std::clamp(static_cast<int>(value), 0, 255); }

TEST_P(JpegKernelsTest, ColoursOfEveryChroma) {
  std::vector<std::uint8_t> y(256 + kMargin);
  std::vector<std::uint8_t> cb(y.size());
  std::vector<std::uint8_t> cr(y.size());
  std::vector<std::uint8_t> rgb(3 * y.size() + 96);
  for (int luma : {0, 1, 77, 128, 254, 255}) {
    for (int b = 0; b < 256; ++b) {
      std::fill(y.begin(), y.end(), static_cast<std::uint8_t>(luma));
      std::fill(cb.begin(), cb.end(), static_cast<std::uint8_t>(b));
      for (int r = 0; r < 256; ++r) cr[static_cast<std::size_t>(r)] = static_cast<std::uint8_t>(r);
      kernels().ycc_to_rgb(y.data(), cb.data(), cr.data(), 256, rgb.data());
      for (int r = 0; r < 256; ++r) {
        const std::uint8_t* pixel = rgb.data() + std::ptrdiff_t{3} * r;
        // T.871, with factors of 16 bits, rounded down as a shift does.
        const int red = luma + ((91881 * (r - 128) + 32768) >> 16);
        const int green = luma + ((-22554 * (b - 128) - 46802 * (r - 128) + 32768) >> 16);
        const int blue = luma + ((116130 * (b - 128) + 32768) >> 16);
        ASSERT_EQ(pixel[0], held(red)) << luma << " " << b << " " << r;
        ASSERT_EQ(pixel[1], held(green)) << luma << " " << b << " " << r;
        ASSERT_EQ(pixel[2], held(blue)) << luma << " " << b << " " << r;
      }
    }
  }
}

TEST_P(JpegKernelsTest, UpsamplingIsATriangleFilter) {
  TestRandom random(3);
  for (int count = 1; count < 70; ++count) {
    const auto near = samples(count, random);
    const auto next = samples(count, random);
    const std::uint8_t* a = near.data() + kMargin;
    const std::uint8_t* b = next.data() + kMargin;
    std::vector<std::uint8_t> out(static_cast<std::size_t>(2 * count + kMargin));
    std::vector<std::uint16_t> sums(static_cast<std::size_t>(count + kMargin));

    kernels().double_columns(a, count, out.data());
    for (int i = 0; i < count; ++i) {
      ASSERT_EQ(out[static_cast<std::size_t>(2 * i)], (3 * a[i] + a[i - 1] + 1) / 4);
      ASSERT_EQ(out[static_cast<std::size_t>(2 * i + 1)], (3 * a[i] + a[i + 1] + 2) / 4);
    }
    for (const bool above : {true, false}) {
      kernels().blend_rows(a, b, above, count, out.data());
      for (int i = 0; i < count; ++i)
        ASSERT_EQ(out[static_cast<std::size_t>(i)], (3 * a[i] + b[i] + (above ? 1 : 2)) / 4);
    }
    kernels().double_both(a, b, count, sums.data(), out.data());
    const auto sum = [&](int i) { return 3 * a[i] + b[i]; };
    for (int i = 0; i < count; ++i) {
      ASSERT_EQ(out[static_cast<std::size_t>(2 * i)], (3 * sum(i) + sum(i - 1) + 8) / 16);
      ASSERT_EQ(out[static_cast<std::size_t>(2 * i + 1)], (3 * sum(i) + sum(i + 1) + 7) / 16);
    }
  }
}

TEST_P(JpegKernelsTest, InterleavingKeepsSamples) {
  TestRandom random(4);
  for (int count = 1; count < 70; ++count) {
    const auto r = samples(count, random);
    const auto g = samples(count, random);
    const auto b = samples(count, random);
    std::vector<std::uint8_t> out(static_cast<std::size_t>(3 * count + 96));
    kernels().interleave(r.data(), g.data(), b.data(), count, out.data());
    for (std::size_t i = 0; i < static_cast<std::size_t>(count); ++i) {
      ASSERT_EQ(out[3 * i], r[i]);
      ASSERT_EQ(out[3 * i + 1], g[i]);
      ASSERT_EQ(out[3 * i + 2], b[i]);
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Sets, JpegKernelsTest, testing::ValuesIn(sets()),
                         [](const auto& given) { return std::string(given.param.name); });

}  // namespace
}  // namespace flatout::data
