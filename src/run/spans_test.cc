#include "run/spans.h"

#include <gtest/gtest.h>

#include <algorithm>

namespace flatout::run {
namespace {

// Steps of 100 ns: a draw of 30, a forward of 40 with a copy of 5 in it, an update of 20.
ProcessTrack steps(int count) {
  ProcessTrack track;
  track.proc.pid = 7;
  const auto add = [&track](std::int64_t t_ns, Phase phase, bool begin, std::uint32_t id = 0) {
    track.phases.push_back({.t_ns = t_ns, .id = id, .phase = phase, .begin = begin});
  };
  for (std::int64_t t = 0; t < count * 100; t += 100) {
    add(t, Phase::kDataWait, true, 3);
    add(t + 30, Phase::kDataWait, false, 3);
    add(t + 30, Phase::kForward, true);
    add(t + 40, Phase::kH2d, true);
    add(t + 45, Phase::kH2d, false);
    add(t + 70, Phase::kForward, false);
    add(t + 70, Phase::kOptimizer, true);
    add(t + 90, Phase::kOptimizer, false);
  }
  return track;
}

TEST(ThreadSpans, NestAndCarryWhatTheirEventsSaid) {
  const ProcessTrack track = steps(1);
  std::vector<Span> all;
  const ThreadSpans lane(track, 0, [&all](const Span& span) { all.push_back(span); });
  ASSERT_EQ(all.size(), 4U);
  EXPECT_EQ(all[0], (Span{.lane = {LaneKind::kThread, 7, 0},
                          .begin_ns = 0,
                          .end_ns = 30,
                          .phase = Phase::kDataWait,
                          .id = 3}));
  EXPECT_EQ(all[1].phase, Phase::kForward);
  EXPECT_EQ(all[1].end_ns, 70);
  EXPECT_EQ(all[2].phase, Phase::kH2d);
  EXPECT_EQ(all[2].depth, 1);
  EXPECT_EQ(all[3].phase, Phase::kOptimizer);
  EXPECT_EQ(all[3].depth, 0);
}

TEST(ThreadSpans, ARangeHoldsWhatOverlapsIt) {
  const ProcessTrack track = steps(3000);  // several pieces
  const ThreadSpans lane(track, 0);
  const auto part = lane.between(200'045, 200'160);
  std::vector<std::int64_t> begins;
  for (const Span& span : part) begins.push_back(span.begin_ns);
  EXPECT_EQ(begins,
            (std::vector<std::int64_t>{200'030, 200'040, 200'070, 200'100, 200'130, 200'140}));
  EXPECT_TRUE(lane.between(-50, -1).empty());
  EXPECT_TRUE(lane.between(300'000, 400'000).empty());
  EXPECT_EQ(lane.between(0, 300'000).size(), 12'000U);
}

TEST(ThreadSpans, ASpanThatLastsIsInEachRangeOfIt) {
  ProcessTrack track = steps(3000);
  std::vector<PhaseEvent>& events = track.phases.own();
  events.insert(events.begin(),
                {.t_ns = -5, .flags = kMarked, .phase = Phase::kEval, .begin = true});
  events.push_back({.t_ns = 300'001, .flags = kMarked, .phase = Phase::kEval});
  const ThreadSpans lane(track, 0);
  const auto part = lane.between(150'000, 150'001);
  ASSERT_GE(part.size(), 2U);
  EXPECT_EQ(part[0].phase, Phase::kEval);
  EXPECT_EQ(part[0].end_ns, 300'001);
  EXPECT_EQ(part[1].depth, 1);
}

TEST(ThreadSpans, AnEndThatWasNotRecordedIsImplied) {
  ProcessTrack track;
  track.phases = {{.t_ns = 1, .phase = Phase::kForward, .begin = true},
                  {.t_ns = 9, .phase = Phase::kDataWait, .begin = true}};
  const ThreadSpans lane(track, 0);
  const auto all = lane.between(0, 10);
  ASSERT_EQ(all.size(), 2U);
  EXPECT_TRUE(all[0].implied);
  EXPECT_EQ(all[0].end_ns, 9);
}

TEST(ThreadSpans, OtherLanesAreNotSeen) {
  ProcessTrack track = steps(2);
  track.phases.push_back({.t_ns = 500, .lane = 1, .phase = Phase::kForward, .begin = true});
  EXPECT_EQ(ThreadSpans(track, 0).between(0, 1000).size(), 8U);
  EXPECT_EQ(ThreadSpans(track, 1).between(0, 1000).size(), 1U);
  EXPECT_TRUE(ThreadSpans(track, 2).between(0, 1000).empty());
}

// The host got to know of all three at 100.
TEST(DeviceSpans, EachWasOverBeforeTheNextBegan) {
  const std::vector<DevicePhase> told = {
      {.t_ns = 100, .duration_ns = 20, .step = 4, .device = 1, .phase = Phase::kForward},
      {.t_ns = 100, .duration_ns = 30, .step = 4, .device = 1, .phase = Phase::kBackward},
      {.t_ns = 100, .duration_ns = 10, .step = 4, .device = 0, .phase = Phase::kForward}};
  DeviceSpans device(7);
  std::vector<Span> spans;
  for (auto it = told.rbegin(); it != told.rend(); ++it) spans.push_back(device.span_of(*it));
  EXPECT_EQ(spans[0].lane, (SpanLane{LaneKind::kDevice, 7, 0}));
  EXPECT_EQ(spans[0].begin_ns, 90);
  EXPECT_EQ(spans[1].begin_ns, 70);
  EXPECT_EQ(spans[1].end_ns, 100);
  EXPECT_EQ(spans[2].begin_ns, 50);
  EXPECT_EQ(spans[2].end_ns, 70);
  EXPECT_EQ(spans[2].step, 4);
}

}  // namespace
}  // namespace flatout::run
