// What a recording states that cannot be: found by the fuzz target of reports,
// where the differences of such times overflowed.
#include "store/timeline_builder.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <limits>

#include "store/store_fixture.h"

namespace flatout::store {
namespace {

constexpr auto kMax = std::numeric_limits<std::int64_t>::max();
constexpr auto kMin = std::numeric_limits<std::int64_t>::min();
constexpr std::int64_t kDecade = 10 * 365 * 86'400 * base::kSecond;

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

struct Recording {
  void add(FrameType type, const std::string& payload) {
    builder.add({.type = type, .offset = 0, .payload = payload});
  }
  TimelineBuilder builder;
};

TEST(TimelineBuilder, TimesThatCannotBeAreLeftOutAndCounted) {
  Recording run;
  run.add(FrameType::kInfo, encode_info(sample_info("ab2c")));
  run.add(FrameType::kProc, encode_proc({.pid = 7, .seen_ns = kMin, .command = ""}));
  run.add(FrameType::kPhases, encode_phases(7, std::vector<run::PhaseEvent>{
                                                   {.t_ns = kMin}, {.t_ns = 5}, {.t_ns = kMax}}));
  run.add(
      FrameType::kBatches,
      encode_batches(7, std::vector<run::Batch>{{.begin_ns = kMin, .end_ns = 5, .stages = {}},
                                                {.end_ns = 6, .stages = {{"decode", 1, kMax}}}}));
  run.add(FrameType::kDevicePhases,
          encode_device_phases(7, std::vector<run::DevicePhase>{{.t_ns = 5, .duration_ns = kMax}}));
  run.add(FrameType::kValues,
          encode_values(7, std::vector<run::NamedValue>{{.t_ns = kMax, .name = "loss"}}));
  run.add(FrameType::kFact, encode_fact(7, {.t_ns = kMin, .key = "loader", .json = "{}"}));
  run.add(FrameType::kSamples, encode_samples(std::vector<run::Sample>{{.t_ns = kMax}}));
  run.add(FrameType::kSamples, encode_samples(std::vector<run::Sample>{
                                   {.t_ns = kMin, .metric = run::Metric::kHostIowait},
                                   {.t_ns = 5, .metric = run::Metric::kHostIowait},
                                   {.t_ns = kMax, .metric = run::Metric::kHostIowait}}));
  run.add(FrameType::kEnd, encode_end({.t_ns = kMax, .survivors = {}}));
  const auto timeline = run.builder.finish(false);

  EXPECT_THAT(timeline.notes, ElementsAre(HasSubstr("12 records state times")));
  EXPECT_EQ(timeline.last_ns, timeline.info.started_ns);
  EXPECT_FALSE(timeline.end);
  ASSERT_EQ(timeline.processes.size(), 1U);
  const run::ProcessTrack& track = timeline.processes.at(7);
  ASSERT_EQ(track.phases.size(), 1U);
  EXPECT_EQ(track.phases.at(0).value().t_ns, 5);
  EXPECT_THAT(track.batches, IsEmpty());
  EXPECT_THAT(track.device_phases, IsEmpty());
  EXPECT_THAT(track.values, IsEmpty());
  EXPECT_THAT(track.facts, IsEmpty());
  ASSERT_EQ(timeline.series.size(), 1U);
  EXPECT_EQ(timeline.series.begin()->second.size(), 1U);
}

TEST(TimelineBuilder, OfAChunkTheTimesThatCannotBeAreCounted) {
  Recording run;
  run.add(FrameType::kInfo, encode_info(sample_info("ab2c")));
  ChunkHead head;
  head.key = {run::Metric::kHostIowait, 0};
  run.builder.add(head, std::vector<std::int64_t>{kMin, 5, 6, kMax});
  run.builder.add(head, std::vector<std::int64_t>{kMin});
  const auto timeline = run.builder.finish(false);
  EXPECT_THAT(timeline.notes, ElementsAre(HasSubstr("3 records state times")));
  EXPECT_EQ(timeline.last_ns, timeline.info.started_ns);
}

TEST(TimelineBuilder, AMachineThatRunsForDecadesIsBelieved) {
  Recording run;
  auto info = sample_info("ab2c");
  info.started_ns = 3 * kDecade;
  run.add(FrameType::kInfo, encode_info(info));
  run.add(FrameType::kEnd, encode_end({.t_ns = 3 * kDecade + 1, .survivors = {}}));
  const auto timeline = run.builder.finish(false);
  EXPECT_THAT(timeline.notes, IsEmpty());
  EXPECT_EQ(timeline.last_ns, 3 * kDecade + 1);
}

TEST(TimelineBuilder, ARunThatCannotHaveBegunIsNotTold) {
  const auto with = [](auto change) {
    Recording run;
    auto info = sample_info("ab2c");
    change(info);
    run.add(FrameType::kInfo, encode_info(info));
    return run.builder.has_info();
  };
  EXPECT_TRUE(with([](run::RunInfo&) {}));
  EXPECT_TRUE(with([](run::RunInfo& info) { info.rate_hz = 0; }));
  EXPECT_FALSE(with([](run::RunInfo& info) { info.started_ns = kMin; }));
  EXPECT_FALSE(with([](run::RunInfo& info) { info.started_wall_ns = kMax; }));
  EXPECT_FALSE(with([](run::RunInfo& info) { info.rate_hz = 1e-300; }));
  EXPECT_FALSE(with([](run::RunInfo& info) { info.cpus = std::numeric_limits<int>::max(); }));
  EXPECT_FALSE(with([](run::RunInfo& info) { info.memory_limit_bytes = kMin; }));
}

TEST(TimelineBuilder, ADeviceOfNoIndexIsNone) {
  Recording run;
  run::Device device;
  for (const int index :
       {-1, std::numeric_limits<int>::min(), std::numeric_limits<int>::max(), 3}) {
    device.index = index;
    run.add(FrameType::kDevice, encode_device(device));
  }
  const auto timeline = run.builder.finish(false);
  ASSERT_EQ(timeline.devices.size(), 1U);
  EXPECT_TRUE(timeline.devices.contains(3));
}

}  // namespace
}  // namespace flatout::store
