#include "store/series_reader.h"

#include <gtest/gtest.h>

#include <cmath>
#include <filesystem>

#include "store/run_writer.h"
#include "store/seal.h"
#include "store/store_fixture.h"

namespace flatout::store {
namespace {

constexpr run::SeriesKey kCores{run::Metric::kHostCpuCoresUsed, run::kHostSource};
constexpr std::int64_t kStart = 1'000'000'000;
constexpr std::int64_t kPeriod = 10'000'000;
constexpr std::size_t kPoints = 100'000;

double value_at(std::size_t i) {
  return i == 77'777 ? std::nan("") : std::sin(static_cast<double>(i) / 500) + 2;
}

class SeriesReaderTest : public testing::Test {
 protected:
  static void SetUpTestSuite() {
    scratch_ = new ScratchFolder;
    const base::FakeClock clock;
    const Home home = Home::at(scratch_->path());
    auto writer = RunWriter::open(home, clock);
    auto info = sample_info(writer->id());
    info.host = viewpoint_here().host;
    ASSERT_TRUE(writer->begin(info));
    std::vector<run::Sample> samples;
    for (std::size_t i = 0; i < kPoints; ++i) {
      const auto t = kStart + static_cast<std::int64_t>(i) * kPeriod;
      samples.push_back({t, value_at(i), run::kHostSource, run::Metric::kHostCpuCoresUsed});
      if (samples.size() < 1000) continue;
      ASSERT_TRUE(writer->samples(samples));
      samples.clear();
    }
    ASSERT_TRUE(writer->end({}));
    logged_ = home.folder(writer->id());
    const std::string id = writer->id();
    writer.reset();
    std::filesystem::copy(logged_, home.folder("sealed"));
    ASSERT_TRUE(seal_run(home, "sealed", viewpoint_here()));
    sealed_ = home.folder("sealed");
  }
  static void TearDownTestSuite() { delete scratch_; }

  static inline ScratchFolder* scratch_ = nullptr;
  static inline std::filesystem::path logged_, sealed_;
};

TEST_F(SeriesReaderTest, ListsSeries) {
  for (const auto& folder : {logged_, sealed_}) {
    const auto reader = SeriesReader::open(folder, viewpoint_here());
    ASSERT_TRUE(reader);
    ASSERT_EQ(reader->series().size(), 1U);
    EXPECT_EQ(reader->series()[0].key, kCores);
    EXPECT_EQ(reader->series()[0].count, kPoints);
    EXPECT_EQ(reader->series()[0].first_ns, kStart);
    EXPECT_EQ(reader->series()[0].last_ns,
              kStart + static_cast<std::int64_t>(kPoints - 1) * kPeriod);
  }
}

TEST_F(SeriesReaderTest, ARangeIsExactAndDecodesOnlyItsChunks) {
  const auto reader = SeriesReader::open(sealed_, viewpoint_here());
  ASSERT_TRUE(reader);
  const auto points = reader->points(kCores, kStart + 50'000 * kPeriod, kStart + 50'100 * kPeriod);
  ASSERT_TRUE(points);
  ASSERT_EQ(points->size(), 100U);
  for (std::size_t i = 0; i < 100; ++i) EXPECT_EQ((*points)[i].value, value_at(50'000 + i));
  EXPECT_LE(reader->chunks_decoded(), 2U);
  EXPECT_TRUE(reader->points(kCores, 0, kStart)->empty());
  EXPECT_TRUE(reader->points({run::Metric::kHostIowait, 3}, 0, INT64_MAX)->empty());
}

// What the coarser levels say must be what the points say.
TEST_F(SeriesReaderTest, ZoomAgreesWithThePoints) {
  const auto log = SeriesReader::open(logged_, viewpoint_here());
  ASSERT_TRUE(log);
  const std::int64_t end = kStart + static_cast<std::int64_t>(kPoints) * kPeriod;
  for (const std::size_t buckets : {1U, 7U, 100U, 1000U, 30'000U}) {
    const auto sealed = SeriesReader::open(sealed_, viewpoint_here());
    ASSERT_TRUE(sealed);
    const auto exact = log->zoom(kCores, kStart, end, buckets);
    const auto quick = sealed->zoom(kCores, kStart, end, buckets);
    ASSERT_TRUE(exact && quick);
    ASSERT_EQ(exact->size(), quick->size());
    std::uint64_t count = 0;
    // Half a slice of the sine moves a figure by this at most.
    const double near = 1e-3 + static_cast<double>(kPoints / buckets) / 500 / 2;
    for (std::size_t i = 0; i < exact->size(); ++i) {
      ASSERT_NEAR((*exact)[i].min, (*quick)[i].min, near);
      ASSERT_NEAR((*exact)[i].max, (*quick)[i].max, near);
      ASSERT_NEAR((*exact)[i].mean, (*quick)[i].mean, near);
      EXPECT_LE((*quick)[i].start_ns, (*quick)[i].end_ns);
      count += (*quick)[i].count;
    }
    EXPECT_EQ(count, kPoints);
    if (buckets <= 100) {
      EXPECT_EQ(sealed->chunks_decoded(), 0U) << buckets;
    }
  }
}

TEST_F(SeriesReaderTest, WhatIsNotFiniteIsCountedAndLeftOut) {
  const auto reader = SeriesReader::open(sealed_, viewpoint_here());
  const auto all = reader->zoom(kCores, kStart, INT64_MAX / 2, 1);
  ASSERT_TRUE(all);
  ASSERT_EQ(all->size(), 1U);
  EXPECT_EQ((*all)[0].count, kPoints);
  EXPECT_EQ((*all)[0].finite, kPoints - 1);
  EXPECT_TRUE(std::isfinite((*all)[0].mean));
}

TEST_F(SeriesReaderTest, EmptyRangesAreRefused) {
  const auto reader = SeriesReader::open(sealed_, viewpoint_here());
  EXPECT_FALSE(reader->zoom(kCores, 5, 5, 10));
  EXPECT_FALSE(reader->zoom(kCores, 5, 6, 0));
  EXPECT_FALSE(SeriesReader::open("/nowhere", viewpoint_here()));
}

}  // namespace
}  // namespace flatout::store
