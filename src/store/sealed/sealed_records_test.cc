// A run asked in its sealed file gives what it gives asked in memory, whatever the order in which
// its records came.
#include "store/sealed/sealed_records.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <random>

#include "run/spans.h"
#include "store/run_reader.h"
#include "store/run_writer.h"
#include "store/same_timeline_fixture.h"
#include "store/seal.h"
#include "store/sealed/point_stats.h"
#include "store/store_fixture.h"

namespace flatout::run {

// For ranges of both, below.
static bool operator==(const Point& a, const Point& b) {
  return a.t_ns == b.t_ns && a.value == b.value;
}

}  // namespace flatout::run

namespace flatout::store {
namespace {

constexpr std::int64_t kSecond = 1'000'000'000;

// Events of two lanes that nest as hooks write them, some ends lost, now and then older than what
// came before.
std::vector<run::PhaseEvent> random_events(std::mt19937_64& random, int count,
                                           std::int64_t& now_ns) {
  std::vector<run::PhaseEvent> events;
  for (int i = 0; i < count; ++i) {
    now_ns += static_cast<std::int64_t>(random() % 1'000'000);
    const std::int64_t late =
        random() % 500 == 0 ? static_cast<std::int64_t>(random() % kSecond) : 0;
    events.push_back({.t_ns = now_ns - late,
                      .value = random() % 4,
                      .flags = static_cast<std::uint32_t>(random() % 4),
                      .id = static_cast<std::uint32_t>(random() % 3),
                      .lane = static_cast<std::uint16_t>(random() % 2),
                      .phase = static_cast<run::Phase>(1 + random() % 12),
                      .begin = random() % 2 == 0});
  }
  return events;
}

class SealedRecords : public testing::TestWithParam<int> {
 protected:
  void SetUp() override {
    std::mt19937_64 random(static_cast<std::uint64_t>(GetParam()));
    auto writer = RunWriter::open(home_, clock_);
    auto info = sample_info(writer->id());
    info.host = viewpoint_here().host;
    ASSERT_TRUE(writer->begin(info));
    std::int64_t now_ns[] = {6 * kSecond, 6 * kSecond};
    for (int tick = 0; tick < 60; ++tick) {
      for (const int process : {0, 1}) {
        const pid_t pid = 7 + process;
        ASSERT_TRUE(writer->phases(pid, random_events(random, 500, now_ns[process])));
        auto batches = sample_batches(
            40, now_ns[process] - static_cast<std::int64_t>(random() % (2 * kSecond)));
        ASSERT_TRUE(writer->batches(pid, batches));
      }
      ASSERT_TRUE(writer->device_phases(7, sample_device_phases()));
      ASSERT_TRUE(writer->values(8, sample_values()));
      ASSERT_TRUE(writer->samples(points(random)));
    }
    ASSERT_TRUE(writer->end({.t_ns = 99 * kSecond, .survivors = {}}));
    const auto folder = home_.folder(writer->id());
    const std::string id = writer->id();
    writer.reset();
    const auto logged = read_run(folder, viewpoint_here());
    ASSERT_TRUE(logged) << logged.error().message;
    in_memory_ = *logged;
    ASSERT_TRUE(seal_run(home_, id, viewpoint_here()));
    const auto sealed = read_run(folder, viewpoint_here());
    ASSERT_TRUE(sealed) << sealed.error().message;
    in_file_ = *sealed;
  }

  // 600 readings of a series whose clock goes back now and then.
  std::vector<run::Sample> points(std::mt19937_64& random) {
    std::vector<run::Sample> samples;
    for (int i = 0; i < 600; ++i) {
      point_ns_ += static_cast<std::int64_t>(random() % 20'000'000);
      if (random() % 700 == 0) point_ns_ -= kSecond;
      samples.push_back({point_ns_, static_cast<double>(random() % 100), run::kHostSource,
                         run::Metric::kHostCpuCoresUsed});
    }
    return samples;
  }

  template <typename T>
  static void expect_same_ranges(const run::Records<T>& memory, const run::Records<T>& file,
                                 std::mt19937_64& random) {
    ASSERT_EQ(memory.size(), file.size());
    ASSERT_FALSE(memory.empty());
    EXPECT_EQ(memory.first_ns(), file.first_ns());
    EXPECT_EQ(memory.last_ns(), file.last_ns());
    const auto length = static_cast<std::uint64_t>(memory.last_ns() - memory.first_ns() + 1);
    for (int i = 0; i < 40; ++i) {
      const std::int64_t from = memory.first_ns() + static_cast<std::int64_t>(random() % length);
      const std::int64_t to = from + static_cast<std::int64_t>(random() % length) / (1 + i);
      std::vector<T> all;
      for (const T& item : memory) {
        const std::int64_t t_ns = record_time(item);
        if (t_ns >= from && t_ns < to) all.push_back(item);
      }
      for (const run::Records<T>* records : {&memory, &file}) {
        std::vector<T> part;
        for (const T& item : records->between(from, to)) part.push_back(item);
        EXPECT_TRUE(run::Records<T>(part) == run::Records<T>(all)) << from << " to " << to;
      }
    }
    std::vector<T> reversed;
    file.backwards([&](const T& item) { reversed.push_back(item); });
    std::ranges::reverse(reversed);
    EXPECT_TRUE(run::Records<T>(reversed) == memory);
    EXPECT_TRUE(run::Records<T>({file.back().value()}) == run::Records<T>({memory.back().value()}));
  }

  ScratchFolder scratch_;
  const Home home_ = Home::at(scratch_.path());
  const base::FakeClock clock_;
  run::Timeline in_memory_, in_file_;
  std::int64_t point_ns_ = 6 * kSecond;
};

TEST_P(SealedRecords, AreWhatTheLogHad) { expect_same_timeline(in_memory_, in_file_); }

TEST_P(SealedRecords, RangesAreThoseOfMemory) {
  std::mt19937_64 random(1);
  for (const pid_t pid : {7, 8}) {
    const run::ProcessTrack& memory = in_memory_.processes.at(pid);
    const run::ProcessTrack& file = in_file_.processes.at(pid);
    expect_same_ranges(memory.phases, file.phases, random);
    expect_same_ranges(memory.batches, file.batches, random);
    EXPECT_EQ(run::phase_counts(memory), run::phase_counts(file));
    run::ProcessTrack uncounted = memory;
    uncounted.counted.reset();
    EXPECT_EQ(run::phase_counts(uncounted), run::phase_counts(file));
  }
  expect_same_ranges(in_memory_.processes.at(7).device_phases,
                     in_file_.processes.at(7).device_phases, random);
  expect_same_ranges(in_memory_.processes.at(8).values, in_file_.processes.at(8).values, random);
  const run::SeriesKey key = {run::Metric::kHostCpuCoresUsed, run::kHostSource};
  expect_same_ranges(in_memory_.series.at(key), in_file_.series.at(key), random);
}

TEST_P(SealedRecords, SpansOfARangeAreThoseOfAll) {
  std::mt19937_64 random(2);
  for (const std::uint16_t lane : std::vector<std::uint16_t>{0, 1}) {
    std::vector<run::Span> all;
    const run::ThreadSpans memory(in_memory_.processes.at(7), lane,
                                  [&all](const run::Span& span) { all.push_back(span); });
    const run::ThreadSpans file(in_file_.processes.at(7), lane);
    ASSERT_GT(all.size(), 1000U);
    const std::int64_t first = all.front().begin_ns;
    const auto length = static_cast<std::uint64_t>(all.back().begin_ns - first);
    for (int i = 0; i < 60; ++i) {
      const std::int64_t from = first + static_cast<std::int64_t>(random() % length);
      const std::int64_t to = from + static_cast<std::int64_t>(random() % length) / (1 + i * i);
      std::vector<run::Span> wanted;
      for (const run::Span& span : all) {
        if (span.end_ns >= from && span.begin_ns <= to) wanted.push_back(span);
      }
      EXPECT_TRUE(memory.between(from, to) == wanted) << i;
      EXPECT_TRUE(file.between(from, to) == wanted) << i;
    }
  }
}

// One thread reads: under ThreadSanitizer, where each takes eight seconds, one seed is enough.
#if defined(__has_feature)
#if __has_feature(thread_sanitizer)
#define FLATOUT_ONE_SEED
#endif
#endif
#ifdef FLATOUT_ONE_SEED
constexpr int kSeeds = 1;
#else
constexpr int kSeeds = 2;
#endif
INSTANTIATE_TEST_SUITE_P(Seeds, SealedRecords, testing::Range(1, 1 + kSeeds));

// What the coarser levels say must be what the points say.
TEST(SealedZoom, AgreesWithThePoints) {
  ScratchFolder scratch;
  const Home home = Home::at(scratch.path());
  const base::FakeClock clock;
  auto writer = RunWriter::open(home, clock);
  auto info = sample_info(writer->id());
  info.host = viewpoint_here().host;
  ASSERT_TRUE(writer->begin(info));
  for (int tick = 0; tick < 30'000; ++tick) {
    const double value = tick == 17'777 ? std::nan("") : std::sin(tick / 500.0) + 2;
    const run::Sample sample = {kSecond + tick * 10'000'000LL, value, run::kHostSource,
                                run::Metric::kHostCpuCoresUsed};
    ASSERT_TRUE(writer->samples({&sample, 1}));
  }
  ASSERT_TRUE(writer->end({}));
  const std::string id = writer->id();
  writer.reset();
  ASSERT_TRUE(seal_run(home, id, viewpoint_here()));
  auto reader = SealedReader::open(home.folder(id) / kSealedFileName, system_disk());
  ASSERT_TRUE(reader);
  std::vector<std::int64_t> times;
  std::vector<double> values;
  std::vector<ZoomEntry> entries;
  std::uint64_t count = 0;
  std::uint64_t finite = 0;
  for (const ChunkHead& head : reader->heads()) {
    ASSERT_TRUE(reader->decode(head, times, values));
    ASSERT_TRUE(reader->zoom(head, entries));
    EXPECT_EQ(head.t_min, times.front());
    EXPECT_EQ(head.t_max, times.back());
    std::size_t from = 0;
    for (const ZoomEntry& entry : entries) {
      EXPECT_EQ(entry.first_ns, times[from]);
      const auto part = stats_of(std::span(values).subspan(from, entry.count));
      EXPECT_EQ(entry.finite, part.finite);
      EXPECT_NEAR(static_cast<double>(entry.min), part.min, 1e-6);
      EXPECT_NEAR(static_cast<double>(entry.max), part.max, 1e-6);
      EXPECT_NEAR(static_cast<double>(entry.mean), part.sum / static_cast<double>(part.finite),
                  1e-6);
      EXPECT_GE(head.stats.max, static_cast<double>(entry.mean));
      from += entry.count;
      finite += entry.finite;
    }
    EXPECT_EQ(from, values.size());
    count += head.stats.count;
  }
  EXPECT_EQ(count, 30'000U);
  EXPECT_EQ(finite, 29'999U);
}

TEST(SealedBlocks, PiecesThatOverlapLieInOneBlock) {
  SealedBlocks<int> blocks;
  const auto add = [&](int place, std::int64_t first, std::int64_t last) {
    blocks.add({.place = place, .info = {first, last, 10}});
  };
  add(0, 0, 10);
  add(1, 10, 20);  // touches: the first stays before it
  add(2, 30, 40);
  add(3, 15, 35);  // reaches back over two
  add(4, 50, 60);
  ASSERT_EQ(blocks.infos().size(), 3U);
  EXPECT_EQ(blocks.infos()[1].first_ns, 10);
  EXPECT_EQ(blocks.infos()[1].last_ns, 40);
  EXPECT_EQ(blocks.infos()[1].count, 30U);
  EXPECT_EQ(blocks.pieces(1).size(), 3U);
  EXPECT_EQ(blocks.pieces(1)[0].place, 1);
  EXPECT_TRUE(blocks.sorted(0));
  EXPECT_FALSE(blocks.sorted(1));
  EXPECT_EQ(blocks.pieces(2)[0].place, 4);
}

}  // namespace
}  // namespace flatout::store
