#include "store/sealed/point_codec.h"

#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <fstream>
#include <functional>
#include <iterator>
#include <limits>
#include <random>

#include "store/sealed/point_stats.h"

namespace flatout::store {
namespace {

std::vector<std::int64_t> ticks(std::size_t count, std::mt19937_64& random) {
  std::vector<std::int64_t> out;
  std::int64_t t = 5'000'000'001;
  for (std::size_t i = 0; i < count; ++i) {
    out.push_back(t);
    t += 100'000'000 + static_cast<std::int64_t>(random() % 40'000);
  }
  return out;
}

struct Case {
  const char* name;
  Coding coding;
  std::function<double(std::size_t i, double seconds, std::mt19937_64&)> value;
};

const Case kCases[] = {
    {"constant", Coding::kConstant, [](auto, auto, auto&) { return 0.1; }},
    {"percent", Coding::kDecimal, [](auto, auto, auto& r) { return double(r() % 101) / 100; }},
    {"milliwatt", Coding::kDecimal,
     [](auto, auto, auto& r) { return double(r() % 400'000) / 1e3; }},
    {"pages", Coding::kDecimal, [](auto, auto, auto& r) { return double(r() % 1'000'000) * 4096; }},
    {"negative", Coding::kDecimal, [](auto i, auto, auto&) { return -1.0 - double(i); }},
    {"cores", Coding::kRate, [](auto, double s, auto& r) { return double(r() % 20) / s / 100; }},
    {"host cores", Coding::kRate,
     [](auto, double s, auto& r) { return double(r() % 20) * (1 / (100 * s)); }},
    {"bytes a second", Coding::kRate,
     [](auto, double s, auto& r) { return double(r() % 9999999) / s; }},
    {"share", Coding::kRate,
     [](auto, double s, auto& r) { return std::min(1.0, double(r() % 101'000'000) / s / 1e9); }},
    {"noise", Coding::kShuffled, [](auto, auto, auto& r) { return std::ldexp(double(r()), -64); }},
    {"bits", Coding::kShuffled, [](auto, auto, auto& r) { return std::bit_cast<double>(r()); }},
    {"minus zero", Coding::kShuffled, [](auto i, auto, auto&) { return i % 2 == 0 ? -0.0 : 0.0; }},
    {"to NaN", Coding::kShuffled,
     [](auto i, auto, auto&) { return i < 9 ? 0.5 : std::numeric_limits<double>::quiet_NaN(); }},
};

std::vector<double> values_of(const Case& one, const std::vector<std::int64_t>& times,
                              std::int64_t before, std::mt19937_64& random) {
  std::vector<double> out;
  for (std::size_t i = 0; i < times.size(); ++i) {
    const std::int64_t last = i == 0 ? before : times[i - 1];
    out.push_back(one.value(i, static_cast<double>(times[i] - last) / 1e9, random));
  }
  return out;
}

void expect_same(const std::vector<double>& a, const std::vector<double>& b) {
  ASSERT_EQ(a.size(), b.size());
  for (std::size_t i = 0; i < a.size(); ++i) {
    ASSERT_EQ(std::bit_cast<std::uint64_t>(a[i]), std::bit_cast<std::uint64_t>(b[i])) << i;
  }
}

TEST(PointCodec, EachKindOfSeriesComesBackToTheLastBitInItsOwnCoding) {
  std::mt19937_64 random(7);
  for (const auto& one : kCases) {
    for (const std::size_t count : {64U, 100U, 4096U}) {
      SCOPED_TRACE(one.name + std::string(" ") + std::to_string(count));
      const auto times = ticks(count, random);
      const std::int64_t before = times[0] - 100'012'345;
      const auto values = values_of(one, times, before, random);
      std::string bytes;
      EXPECT_EQ(encode_values(values, times, before, bytes), one.coding);
      std::vector<double> back;
      ASSERT_TRUE(decode_values(bytes, times, back));
      expect_same(values, back);
      EXPECT_LE(bytes.size(), kMaxPointBytes);
    }
  }
}

TEST(PointCodec, ARateWithoutThePointBeforeStartsWithAnException) {
  std::mt19937_64 random(8);
  const auto times = ticks(50, random);
  const auto values = values_of(kCases[5], times, times[0] - 99'999'999, random);
  std::string bytes;
  EXPECT_EQ(encode_values(values, times, std::nullopt, bytes), Coding::kRate);
  std::vector<double> back;
  ASSERT_TRUE(decode_values(bytes, times, back));
  expect_same(values, back);
}

TEST(PointCodec, TimesComeBackWhateverTheyAre) {
  std::mt19937_64 random(9);
  auto times = ticks(4096, random);
  times.push_back(std::numeric_limits<std::int64_t>::min());
  times.push_back(std::numeric_limits<std::int64_t>::max());
  std::string bytes;
  encode_times(times, bytes);
  std::vector<std::int64_t> back;
  ASSERT_TRUE(decode_times(bytes, times.size(), back));
  EXPECT_EQ(times, back);
  EXPECT_FALSE(decode_times(bytes, times.size() - 1, back));
  EXPECT_FALSE(decode_times(bytes, times.size() + 1, back));
  EXPECT_FALSE(decode_times(bytes, kMaxChunkPoints + 1, back));
}

TEST(PointCodec, ChangedBytesNeverReachBeyondTheirChunk) {
  std::mt19937_64 random(10);
  const auto times = ticks(200, random);
  for (const auto& one : kCases) {
    std::string bytes;
    (void)encode_values(values_of(one, times, times[0] - 100'000'000, random), times, 1, bytes);
    for (int round = 0; round < 500; ++round) {
      std::string changed = bytes;
      changed[random() % changed.size()] ^= static_cast<char>(1U << random() % 8);
      if (round % 3 == 0) changed.resize(random() % changed.size());
      std::vector<double> back;
      if (decode_values(changed, times, back)) {
        ASSERT_EQ(back.size(), times.size());
      }
    }
  }
}

TEST(PointStats, LeaveOutWhatIsNotFinite) {
  const std::vector<double> values = {std::nan(""), 2, -4, INFINITY, 5};
  const auto stats = stats_of(values);
  EXPECT_EQ(stats.count, 5U);
  EXPECT_EQ(stats.finite, 3U);
  EXPECT_EQ(stats.min, -4);
  EXPECT_EQ(stats.max, 5);
  EXPECT_EQ(stats.sum, 3);
  EXPECT_TRUE(std::isnan(stats.first));
  EXPECT_EQ(stats.last, 5);
}

TEST(PointStats, AZoomEntryHoldsItsPoints) {
  std::mt19937_64 random(11);
  const auto times = ticks(1000, random);
  const auto values = values_of(kCases[9], times, 0, random);
  std::string bytes;
  encode_zoom(times, values, bytes);
  std::vector<ZoomEntry> entries;
  ASSERT_TRUE(decode_zoom(bytes, values.size(), entries));
  ASSERT_EQ(entries.size(), 16U);
  EXPECT_EQ(entries.back().count, 1000U - 15 * kZoomPoints);
  for (std::size_t i = 0; i < entries.size(); ++i) {
    EXPECT_EQ(entries[i].first_ns, times[i * kZoomPoints]);
    const auto stats =
        stats_of(std::span(values).subspan(i * kZoomPoints, std::size_t{entries[i].count}));
    EXPECT_LE(entries[i].min, stats.min);
    EXPECT_GE(entries[i].max, stats.max);
    EXPECT_NEAR(entries[i].mean, stats.sum / double(stats.count), 1e-6);
    EXPECT_NEAR(entries[i].min, stats.min, 1e-6);
  }
  bytes.pop_back();
  EXPECT_FALSE(decode_zoom(bytes, values.size(), entries));
}

// The example of docs/formats/run-sqlite.md.
TEST(PointCodec, TheFormatsPageIsTrue) {
  std::ifstream page(std::string(FLATOUT_SOURCE_DIR) + "/docs/formats/run-sqlite.md");
  const std::string text{std::istreambuf_iterator<char>(page), {}};
  const auto hex = [](std::string_view bytes) {
    std::string out;
    for (const unsigned char byte : bytes) {
      constexpr std::string_view kDigits = "0123456789abcdef";
      out += {' ', kDigits[byte >> 4], kDigits[byte & 15]};
    }
    return out;
  };
  const std::vector<std::int64_t> times = {1'000'000'000, 1'100'000'000, 1'200'000'000};
  std::string column;
  encode_times(times, column);
  std::string values;
  EXPECT_EQ(encode_values(std::vector<double>{0.5, 0.92, 0.92}, times, {}, values),
            Coding::kDecimal);
  EXPECT_NE(text.find("    times  " + hex(column) + "  "), std::string::npos) << hex(column);
  EXPECT_NE(text.find("    values " + hex(values) + "  "), std::string::npos) << hex(values);
}

}  // namespace
}  // namespace flatout::store
