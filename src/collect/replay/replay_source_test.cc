#include "collect/replay/replay_source.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <random>
#include <tuple>

#include "collect/testing_tree.h"

namespace flatout::collect {
namespace {

using run::Metric;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

constexpr base::TimeNs kRecorded = 500 * base::kSecond;
constexpr base::TimeNs kReplayStart = 9000 * base::kSecond;

run::Device device(int index) {
  run::Device device;
  device.index = index;
  device.name = "GPU " + std::to_string(index);
  return device;
}

run::Timeline recorded_run() {
  run::Timeline timeline;
  timeline.info.id = "k7f2";
  timeline.info.started_ns = kRecorded;
  const auto gpu = run::device_source(0);
  timeline.series[{Metric::kDeviceUtilization, gpu}] = {{kRecorded + 100, 0.5},
                                                        {kRecorded + base::kSecond, 0.75}};
  timeline.series[{Metric::kHostMemoryAvailable, run::kHostSource}] = {{kRecorded + 200, 7e9}};
  timeline.series[{Metric::kHostCpuCoresUsed, run::kHostSource}] = {{kRecorded + 200, 3}};
  timeline.series[{Metric::kProcessMemoryRss, 77}] = {{kRecorded + 200, 1e9}};
  timeline.devices[0] = device(0);
  return timeline;
}

std::vector<run::Sample> play(ReplaySource& source, base::TimeNs now) {
  Samples out;
  EXPECT_TRUE(source.sample(now, out));
  return out.all;
}

TEST(Replay, ComesAtTheRecordedPaceWithTheRecordedTimes) {
  ReplaySource source(recording_of(recorded_run()), kReplayStart);
  EXPECT_THAT(play(source, kReplayStart), IsEmpty());
  const run::Sample first{.t_ns = kReplayStart + 100,
                          .value = 0.5,
                          .source = run::device_source(0),
                          .metric = Metric::kDeviceUtilization};
  const run::Sample second{
      .t_ns = kReplayStart + 200, .value = 7e9, .metric = Metric::kHostMemoryAvailable};
  const run::Sample third{.t_ns = kReplayStart + base::kSecond,
                          .value = 0.75,
                          .source = run::device_source(0),
                          .metric = Metric::kDeviceUtilization};
  EXPECT_THAT(play(source, kReplayStart + base::kSecond / 10), ElementsAre(first, second));
  EXPECT_THAT(play(source, kReplayStart + base::kSecond / 5), IsEmpty());
  EXPECT_THAT(play(source, kReplayStart + base::kSecond), ElementsAre(third));
  EXPECT_THAT(play(source, kReplayStart + base::kSecond), IsEmpty());
}

TEST(Replay, FasterIsTheSameInLessTime) {
  ReplaySource source(recording_of(recorded_run()), kReplayStart, 4);
  const auto all = play(source, kReplayStart + base::kSecond / 4);
  ASSERT_EQ(all.size(), 3U);
  EXPECT_EQ(all[0].t_ns, kReplayStart + 25);
  EXPECT_EQ(all[2].t_ns, kReplayStart + base::kSecond / 4);
}

TEST(Replay, DevicesComeOnce) {
  ReplaySource source(recording_of(recorded_run()), kReplayStart);
  EXPECT_THAT(source.take_devices(), ElementsAre(device(0)));
  EXPECT_THAT(source.take_devices(), IsEmpty());
}

TEST(Replay, SaysThatNothingWasMeasuredAndWhenItIsOver) {
  ReplaySource source(recording_of(recorded_run()), kReplayStart);
  EXPECT_THAT(source.take_notes(), ElementsAre(HasSubstr("replayed from run k7f2, not measured")));
  play(source, kReplayStart + base::kSecond);
  EXPECT_THAT(source.take_notes(), IsEmpty());
  play(source, kReplayStart + 10 * base::kSecond);
  play(source, kReplayStart + 20 * base::kSecond);
  EXPECT_THAT(source.take_notes(), ElementsAre(HasSubstr("shorter")));
}

// Says what it is told to say, of the host, of a process and of a device.
struct LiveSource final : run::Source {
  std::string_view name() const override { return "live"; }
  base::Result<void> sample(base::TimeNs now, run::SampleSink& out) override {
    const auto add = [&](Metric metric, std::int32_t source) {
      out.add({.t_ns = now, .value = 1, .source = source, .metric = metric});
    };
    add(Metric::kHostMemoryAvailable, run::kHostSource);
    add(Metric::kHostSwapIn, run::kHostSource);
    add(Metric::kHostCpuCoresUsed, run::kHostSource);
    add(Metric::kProcessMemoryRss, 12);
    add(Metric::kProcessDeviceMemoryUsed, 12);
    add(Metric::kDevicePower, run::device_source(0));
    return {};
  }
  std::vector<run::Device> take_devices() override { return {device(4)}; }
  std::vector<std::string> take_notes() override { return {"alive"}; }
};

std::vector<std::unique_ptr<run::Source>> with_live(run::Timeline timeline) {
  std::vector<std::unique_ptr<run::Source>> live;
  live.push_back(std::make_unique<LiveSource>());
  return with_replay(std::move(live), recording_of(timeline), kReplayStart);
}

std::vector<Metric> live_metrics(run::Source& source) {
  Samples out;
  EXPECT_TRUE(source.sample(kReplayStart, out));
  std::vector<Metric> metrics;
  for (const auto& sample : out.all) metrics.push_back(sample.metric);
  return metrics;
}

TEST(Replay, WhatItGivesIsNotMeasuredAsWell) {
  const auto sources = with_live(recorded_run());
  ASSERT_EQ(sources.size(), 2U);
  EXPECT_THAT(live_metrics(*sources[0]), ElementsAre(Metric::kHostSwapIn, Metric::kHostCpuCoresUsed,
                                                     Metric::kProcessMemoryRss));
  EXPECT_THAT(sources[0]->take_devices(), IsEmpty());
  EXPECT_THAT(sources[0]->take_notes(), ElementsAre("alive"));
  EXPECT_EQ(sources[0]->name(), "live");
}

TEST(Replay, ARunWithoutDevicesLeavesThoseOfTheMachine) {
  run::Timeline timeline = recorded_run();
  timeline.devices.clear();
  std::erase_if(timeline.series,
                [](const auto& item) { return run::is_device_source(item.first.source); });
  const auto sources = with_live(timeline);
  EXPECT_THAT(live_metrics(*sources[0]), testing::Contains(Metric::kDevicePower));
  EXPECT_THAT(sources[0]->take_devices(), ElementsAre(device(4)));
}

// Whatever was recorded and however the ticks fall: each sample once, in order
// of time, moved by the same amount; nothing before it is due.
TEST(ReplayProperty, RecordedRunInSameSamplesOut) {
  std::mt19937 random(20);
  for (int round = 0; round < 200; ++round) {
    run::Timeline timeline;
    timeline.info.id = "x";
    timeline.info.started_ns = static_cast<base::TimeNs>(random());
    std::vector<run::Sample> wanted;
    const auto metrics = run::all_metrics();
    for (int series = static_cast<int>(random() % 6); series > 0; --series) {
      const Metric metric = metrics[random() % metrics.size()].metric;
      const auto source = static_cast<std::int32_t>(random() % 5) - 3;
      auto& points = timeline.series[{metric, source}];
      if (!points.empty()) continue;
      base::TimeNs t = 0;
      for (int n = static_cast<int>(random() % 50); n > 0; --n) {
        t += random() % base::kSecond;
        points.push_back({timeline.info.started_ns + t, static_cast<double>(random())});
      }
    }
    const Recording recording = recording_of(timeline);
    for (const auto& [key, points] : timeline.series) {
      if (!recording.has(key)) continue;
      for (const auto& point : points) {
        wanted.push_back({.t_ns = point.t_ns - timeline.info.started_ns + kReplayStart,
                          .value = point.value,
                          .source = key.source,
                          .metric = key.metric});
      }
    }
    ReplaySource source(recording, kReplayStart);
    std::vector<run::Sample> got;
    base::TimeNs now = kReplayStart;
    for (int tick = 0; tick < 200; ++tick) {
      now += random() % base::kSecond;
      for (const auto& sample : play(source, now)) {
        EXPECT_LE(sample.t_ns, now);
        got.push_back(sample);
      }
    }
    for (const auto& sample : play(source, now + 100 * base::kSecond)) got.push_back(sample);
    EXPECT_TRUE(std::ranges::is_sorted(got, {}, &run::Sample::t_ns));
    const auto order = [](const run::Sample& s) {
      return std::tuple(s.t_ns, s.metric, s.source, s.value);
    };
    std::ranges::sort(wanted, {}, order);
    std::ranges::sort(got, {}, order);
    EXPECT_EQ(got, wanted) << "round " << round;
  }
}

}  // namespace
}  // namespace flatout::collect
