#include "serve/lanes/lanes.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <string>

#include "analyse/kernels/kernel_trace_fixture.h"
#include "analyse/loop_fixture.h"
#include "serve/steps/idle_buckets.h"

namespace flatout::serve {
namespace {

using analyse::Loop;
using analyse::TimeWindow;

constexpr std::int64_t kMs = 1'000'000;

const PictureLane* lane_of(const Picture& picture, const std::string& label) {
  const auto found = std::ranges::find(picture.lanes, label, &PictureLane::label);
  return found == picture.lanes.end() ? nullptr : &*found;
}

std::map<std::string, std::int64_t> filled_by_name(const Picture& picture,
                                                   const PictureLane& lane) {
  std::map<std::string, std::int64_t> out;
  for (const LaneSpan& span : lane.spans) {
    out[picture.names.all().at(span.name).text] += span.filled_ns / kMs;
  }
  return out;
}

TEST(Lanes, PhasesAndBatchesOfAFewSteps) {
  const auto run =
      analyse::run_of({.steps = 60, .workers = 2, .wait = 5, .compute = 10, .batch_wall = 25});
  run::Timeline timeline = run.timeline();
  for (const pid_t worker : {200, 201}) timeline.processes.at(worker).proc.parent = 100;
  const auto steps = step_tables(timeline);
  const auto window = usual_window(steps, {});
  ASSERT_TRUE(window);
  EXPECT_EQ(window->end_ns - window->begin_ns, 6 * 15 * kMs);
  const Picture picture = paint_lanes(timeline, steps, {}, *window, 1000);
  ASSERT_EQ(picture.lanes.size(), 3U);
  EXPECT_EQ(picture.steps.size(), 6U);
  const auto phases = filled_by_name(picture, *lane_of(picture, "phases"));
  EXPECT_EQ(phases.at("data_wait"), 30);
  EXPECT_EQ(phases.at("forward"), 18);
  EXPECT_EQ(phases.at("backward"), 36);
  EXPECT_EQ(lane_of(picture, "worker 1")->group, picture.lanes.front().group);
  for (const LaneSpan& span : lane_of(picture, "worker 0")->spans) {
    EXPECT_GE(span.begin_ns, window->begin_ns);
    EXPECT_LE(span.end_ns, window->end_ns);
  }
}

// A window that begins within a span: it is there from the window's begin on.
TEST(Lanes, WhatBeganBeforeIsThere) {
  const auto run = analyse::run_of({.steps = 60, .wait = 50, .compute = 10});
  const auto steps = step_tables(run.timeline());
  const std::int64_t inside = steps.front().steps.at(30).begin_ns + 20 * kMs;
  const Picture picture = paint_lanes(run.timeline(), steps, {}, {inside, inside + 10 * kMs}, 1000);
  ASSERT_EQ(picture.lanes.size(), 1U);
  EXPECT_EQ(filled_by_name(picture, picture.lanes[0]),
            (std::map<std::string, std::int64_t>{{"data_wait", 10}}));
}

TEST(Lanes, OfARunWithoutAnythingThereAreNone) {
  run::Timeline timeline;
  EXPECT_FALSE(usual_window({}, {}));
  EXPECT_TRUE(paint_lanes(timeline, {}, {}, {0, 1000}, 100).lanes.empty());
}

TEST(Lanes, AreBoundedHoweverMuchThereIs) {
  analyse::KernelTrace trace;
  for (int i = 0; i < 20'000; ++i) {
    trace.launch(i * 10, i * 10 + 4, i * 10 + 9, 2);
    trace.kernel(i * 10, i * 10 + 3, 0, "gemm" + std::to_string(i), 100U + i % 300);
  }
  const run::Timeline timeline = trace.timeline();
  const auto idle = analyse::idle_pieces(timeline);
  const Picture picture = paint_lanes(timeline, {}, idle, {0, timeline.last_ns}, 4096);
  std::size_t spans = 0;
  for (const PictureLane& lane : picture.lanes) spans += lane.spans.size();
  EXPECT_LE(picture.lanes.size(), kMostLanes);
  EXPECT_GT(spans, 100U);
  EXPECT_LE(spans, 2 * kMostLaneSpans);
  EXPECT_LE(picture.names.all().size(), spans);
  EXPECT_GT(picture.left_out, 100U);  // 301 streams
  const Picture near = paint_lanes(timeline, {}, idle, {100'000, 140'000}, 800);
  ASSERT_NE(lane_of(near, "stream 7"), nullptr);
  EXPECT_EQ(lane_of(near, "stream 7")->spans.size(), 4U);
  ASSERT_NE(lane_of(near, "idle"), nullptr);
}

TEST(Lanes, RangesAcrossEachOtherStandInLanesOfTheirOwn) {
  analyse::KernelTrace trace;
  for (int i = 0; i < 20; ++i) trace.kernel(i * 10, i * 10 + 3);
  trace.span(run::HostSpanKind::kRange, "request 1", 10, 60)
      .span(run::HostSpanKind::kRange, "request 2", 20, 70)
      .span(run::HostSpanKind::kRange, "request 3", 65, 90)
      .span(run::HostSpanKind::kMark, "saved", 45, 45);
  const run::Timeline timeline = trace.timeline();
  const Picture picture = paint_lanes(timeline, {}, {}, {0, timeline.last_ns}, 800);
  ASSERT_NE(lane_of(picture, "ranges"), nullptr);
  ASSERT_NE(lane_of(picture, "ranges (2)"), nullptr);
  EXPECT_EQ(lane_of(picture, "ranges")->spans.size(), 2U);
  EXPECT_EQ(lane_of(picture, "ranges (2)")->spans.size(), 1U);
  EXPECT_EQ(lane_of(picture, "ranges")->kind, "ranges");
}

analyse::DeviceIdle idle_of_two_windows() {
  return {.pid = 1,
          .device = 0,
          .known = {{0, 100}, {200, 300}},
          .pieces = {{10, 30, run::IdleCause::kData},
                     {90, 100, run::IdleCause::kSync},
                     {250, 300, run::IdleCause::kData}}};
}

TEST(IdleBuckets, OfUntracedTimeNothingIsKnown) {
  const auto buckets = idle_buckets(idle_of_two_windows(), {}, {0, 400}, 4);
  ASSERT_EQ(buckets.size(), 4U);
  EXPECT_EQ(buckets[0].known_ns, 100);
  EXPECT_EQ(buckets[0].idle_ns[static_cast<std::size_t>(run::IdleCause::kData)], 20);
  EXPECT_EQ(buckets[0].idle_ns[static_cast<std::size_t>(run::IdleCause::kSync)], 10);
  EXPECT_EQ(buckets[1].known_ns, 0);
  EXPECT_EQ(buckets[2].idle_ns[static_cast<std::size_t>(run::IdleCause::kData)], 50);
  EXPECT_EQ(buckets[3].known_ns, 0);
}

TEST(IdleBuckets, AreWholeStepsWhereThereAreSteps) {
  std::vector<StepRow> steps;
  for (int i = 0; i < 10; ++i) steps.push_back({.begin_ns = i * 30, .end_ns = i * 30 + 30});
  const auto buckets = idle_buckets(idle_of_two_windows(), steps, {65, 300}, 3);
  ASSERT_EQ(buckets.size(), 3U);
  EXPECT_EQ(*buckets[0].first_step, 2U);
  EXPECT_EQ(*buckets[2].last_step, 9U);
  EXPECT_EQ(buckets[0].known_ns, 40);  // 60 to 100
  std::int64_t sum = 0;
  for (const auto& bucket : buckets) {
    for (const std::int64_t ns : bucket.idle_ns) sum += ns;
  }
  EXPECT_EQ(sum, 60);
}

}  // namespace
}  // namespace flatout::serve
