#include "analyse/charts/charts.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <numeric>
#include <random>

#include "analyse/charts/parts.h"
#include "analyse/loop_fixture.h"

namespace flatout::analyse {
namespace {

run::Charts charts_of(const run::Timeline& timeline, const ChartSizes& sizes = {}) {
  return charts(timeline, measure(timeline), sizes);
}

std::vector<run::Point> random_points(std::uint64_t seed, std::size_t count) {
  std::mt19937_64 dice(seed);
  std::vector<run::Point> points;
  std::int64_t t = 5'000;
  for (std::size_t i = 0; i < count; ++i) {
    t += static_cast<std::int64_t>(dice() % 200'000'000);
    points.push_back({t, std::normal_distribution<double>(0, 100)(dice)});
  }
  return points;
}

TEST(Thin, KeepsExtremesTotalsAndOrder) {
  for (std::uint64_t seed = 1; seed <= 40; ++seed) {
    const auto points = random_points(seed, 1 + seed * 97);
    const auto thinned = thin(points, 0, 50);
    ASSERT_LE(thinned.size(), 50U);
    const auto value = [](const run::Point& p) { return p.value; };
    EXPECT_EQ(std::ranges::max(thinned, {}, &run::ChartPoint::max).max,
              std::ranges::max(points, {}, value).value);
    EXPECT_EQ(std::ranges::min(thinned, {}, &run::ChartPoint::min).min,
              std::ranges::min(points, {}, value).value);
    for (std::size_t i = 0; i < thinned.size(); ++i) {
      EXPECT_LE(thinned[i].min, thinned[i].mean);
      EXPECT_LE(thinned[i].mean, thinned[i].max);
      EXPECT_TRUE(i == 0 || thinned[i - 1].t_s < thinned[i].t_s);
    }
  }
}

TEST(Thin, FewPointsStayAsTheyAre) {
  const auto points = random_points(3, 20);
  const auto same = thin(points, 1'000, 20);
  ASSERT_EQ(same.size(), 20U);
  for (std::size_t i = 0; i < 20; ++i) {
    EXPECT_EQ(same[i].mean, points[i].value);
    EXPECT_DOUBLE_EQ(same[i].t_s, static_cast<double>(points[i].t_ns - 1'000) / 1e9);
  }
}

TEST(Thin, AHoleStaysAHoleAndWhatIsNotFiniteIsNotThere) {
  std::vector<run::Point> points;
  for (int i = 0; i < 100; ++i) points.push_back({ns(i), 1});
  for (int i = 900; i < 1000; ++i) points.push_back({ns(i), 2});
  points[5].value = std::numeric_limits<double>::quiet_NaN();
  points[6].value = std::numeric_limits<double>::infinity();
  for (const run::ChartPoint& point : thin(points, 0, 20)) {
    EXPECT_TRUE(point.t_s < 0.11 || point.t_s > 0.89) << point.t_s;
    EXPECT_TRUE(std::isfinite(point.mean));
  }
  EXPECT_TRUE(thin({}, 0, 20).empty());
}

TEST(StepBars, SumToTheirMeansAndKeepWarmUpApart) {
  for (const int steps : {1, 14, 60, 399, 400, 401, 3000}) {
    const auto timeline =
        run_of({.steps = steps, .wait = 5, .compute = 10, .epoch = 50, .gap = 30}).timeline();
    const Analysis analysis = measure(timeline);
    const auto bars = charts(timeline, analysis).steps;
    ASSERT_LE(bars.size(), 400U);
    int total = 0;
    int warm = 0;
    double end = 0;
    for (const run::StepBar& bar : bars) {
      total += bar.steps;
      if (bar.warm_up) warm += bar.steps;
      double sum = 0;
      for (const auto& [phase, ms] : bar.phases_ms) sum += ms;
      EXPECT_NEAR(sum, bar.mean_ms, 1e-6);
      EXPECT_GE(bar.start_s, end - 1e-9);
      EXPECT_GT(bar.end_s, bar.start_s);
      end = bar.end_s;
    }
    EXPECT_EQ(total, steps);
    EXPECT_EQ(warm, analysis.warm_up.dropped);
  }
}

TEST(StepBars, AreNotDrawnAcrossEpochGaps) {
  const auto run =
      charts_of(run_of({.steps = 60, .compute = 10, .epoch = 20, .gap = 500}).timeline());
  int gaps = 0;
  for (const run::Mark& mark : run.marks) {
    if (mark.kind != "epoch_gap") continue;
    ++gaps;
    for (const run::StepBar& bar : run.steps) {
      EXPECT_TRUE(bar.end_s <= mark.start_s + 1e-6 || bar.start_s >= mark.end_s - 1e-6)
          << bar.start_s << ".." << bar.end_s << " over " << mark.start_s << ".." << mark.end_s;
    }
  }
  EXPECT_EQ(gaps, 3);  // the last one is the draw that ends the last epoch
}

TEST(StepLengths, CountEverySteadyStep) {
  for (const int steps : {2, 20, 60, 1000}) {
    const auto timeline = run_of({.steps = steps, .wait = 3}).timeline();
    const Analysis analysis = measure(timeline);
    const run::StepHistogram lengths = charts(timeline, analysis).step_lengths;
    int sum = 0;
    for (const auto& bin : lengths.bins) sum += bin.steps;
    EXPECT_EQ(sum, static_cast<int>(analysis.steady().size()));
  }
}

TEST(StepLengths, ATailGoesIntoTheLastBin) {
  LaneScript lane(500);
  for (int i = 0; i < 200; ++i) lane.draw(1, i == 150 ? 5'000 : 1 + i % 7).train(10);
  const auto lengths =
      charts_of(TimelineBuilder().loader(0).iterator(1, 0).lane(lane).timeline()).step_lengths;
  EXPECT_TRUE(lengths.last_is_open);
  EXPECT_GT(lengths.bins.size(), 10U);
  EXPECT_EQ(lengths.bins.back().steps > 0, true);
  EXPECT_LT(lengths.bins.back().hi_ms, 100);
}

TEST(Marks, CheckpointsEvaluationAndStartUp) {
  const auto run = charts_of(run_of({.steps = 30, .save = 50}).timeline());
  double busy = 0;
  int count = 0;
  bool startup = false;
  for (const run::Mark& mark : run.marks) {
    startup = startup || mark.kind == "startup";
    if (mark.kind != "checkpoint") continue;
    busy += mark.busy_s;
    count += mark.count;
    EXPECT_LE(mark.busy_s, mark.end_s - mark.start_s + 1e-9);
  }
  EXPECT_TRUE(startup);
  EXPECT_EQ(count, 30);
  EXPECT_NEAR(busy, 1.5, 1e-6);
}

TEST(Marks, ThousandsOfThemAreFew) {
  const auto run = charts_of(run_of({.steps = 4000, .save = 5, .epoch = 3, .gap = 4}).timeline());
  EXPECT_LE(run.marks.size(), 310U);
  int saves = 0;
  for (const run::Mark& mark : run.marks) saves += mark.kind == "checkpoint" ? mark.count : 0;
  EXPECT_EQ(saves, 4000);
}

TEST(CloseUp, ShowsUsualStepsSpanBySpan) {
  LaneScript lane(500);
  for (int i = 0; i < 100; ++i) lane.draw(1, i < 70 ? 200 : 20).train(10).idle(1);
  const auto run = charts_of(TimelineBuilder().loader(0).iterator(1, 0).lane(lane).timeline());
  ASSERT_TRUE(run.close_up);
  EXPECT_EQ(run.close_up->step_starts_s.size(), 6U);
  double computing = 0;
  double end = run.close_up->start_s;
  for (const auto& span : run.close_up->spans) {
    EXPECT_GE(span.start_s, end - 1e-9);
    EXPECT_LE(span.end_s, run.close_up->end_s + 1e-9);
    end = span.end_s;
    if (span.phase != run::Phase::kDataWait) computing += span.end_s - span.start_s;
  }
  EXPECT_NEAR(computing, 0.060, 1e-6);
}

TEST(CloseUp, TooManySpansMeanFewerSteps) {
  const auto timeline = run_of({.steps = 60, .wait = 3}).timeline();
  const auto run = charts_of(timeline, {.close_up_spans = 8});
  ASSERT_TRUE(run.close_up);
  EXPECT_LE(run.close_up->spans.size(), 8U);
  EXPECT_FALSE(charts_of(timeline, {.close_up_spans = 1}).close_up);
}

TEST(Series, CarryTheLimitsOfTheirDevice) {
  auto builder = run_of({.steps = 60});
  const auto gpu = run::device_source(0);
  builder.series(run::Metric::kDevicePower, gpu, 96)
      .series(run::Metric::kDeviceUtilization, gpu, 0.4)
      .series(run::Metric::kDeviceTemperature, gpu, 60)
      .series(run::Metric::kDeviceXid, gpu, 1);
  run::Device device;
  device.power_limit_w = 400;
  device.temperature_slowdown_c = 92;
  builder.timeline().devices[0] = device;
  const auto series = charts_of(builder.timeline()).series;
  ASSERT_EQ(series.size(), 3U);
  EXPECT_EQ(series[0].metric, "device.utilization");
  EXPECT_EQ(series[1].metric, "device.power");
  EXPECT_EQ(series[1].device, 0);
  ASSERT_EQ(series[1].limits.size(), 1U);
  EXPECT_EQ(series[1].limits[0].value, 400);
  EXPECT_EQ(series[2].limits.size(), 1U);  // the other threshold is not known
}

TEST(Series, ManyDevicesShareTheRoom) {
  auto builder = run_of({.steps = 600});
  for (int device = 0; device < 64; ++device) {
    for (const auto metric : {run::Metric::kDeviceUtilization, run::Metric::kDevicePower,
                              run::Metric::kDeviceMemoryUsed, run::Metric::kDeviceTemperature}) {
      builder.series(metric, run::device_source(device), device);
    }
  }
  std::size_t points = 0;
  for (const auto& chart : charts_of(builder.timeline()).series) points += chart.points.size();
  EXPECT_LE(points, ChartSizes().all_points);
  EXPECT_GT(points, 1000U);
}

TEST(Roles, TheAreaUnderTheCurveIsTheCpuTime) {
  auto builder = run_of({.steps = 600, .workers = 2, .compute = 20});
  builder.process(200, run::ProcRole::kWorker);
  builder.process(201, run::ProcRole::kWorker);
  builder.series(run::Metric::kProcessCpuCoresUsed, 100, 1.5)
      .series(run::Metric::kProcessCpuCoresUsed, 200, 0.5)
      .series(run::Metric::kProcessCpuCoresUsed, 201, 0.25);
  for (const std::size_t points : {7U, 50U, 300U}) {
    const auto run = charts_of(builder.timeline(), {.role_points = points});
    ASSERT_EQ(run.roles.size(), 1U);
    const run::RoleChart& cores = run.roles[0];
    ASSERT_EQ(cores.roles.size(), 2U);
    EXPECT_LE(cores.times_s.size(), points);
    double worker = 0;
    for (const double value : cores.roles[1].second) worker += value * cores.bucket_s;
    const double seconds =
        cpu_seconds(builder.timeline(), 200) + cpu_seconds(builder.timeline(), 201);
    EXPECT_NEAR(worker, seconds, 0.11 * 0.75);  // the stretch before the run's start is cut
    for (const double value : cores.roles[1].second) EXPECT_NEAR(value, 0.75, 1e-6);
  }
}

TEST(Roles, OtherProgramsAreWhatTheHostUsesBesideTheRunAndFlatout) {
  auto builder = run_of({.steps = 600, .compute = 20});
  builder.series(run::Metric::kProcessCpuCoresUsed, 100, 1.5)
      .series(run::Metric::kRecorderCpuCoresUsed, run::kHostSource, 0.25)
      .series(run::Metric::kHostCpuCoresUsed, run::kHostSource, 2.5);
  const auto cores = charts_of(builder.timeline()).roles.at(0);
  ASSERT_EQ(cores.others.size(), cores.times_s.size());
  for (const double value : cores.others) EXPECT_NEAR(value, 0.75, 1e-6);
}

TEST(Roles, OfAHostThatWasNotReadNothingIsSaidOfOtherPrograms) {
  auto builder = run_of({.steps = 600, .compute = 20});
  builder.series(run::Metric::kProcessCpuCoresUsed, 100, 1.5);
  EXPECT_TRUE(charts_of(builder.timeline()).roles.at(0).others.empty());
  auto& host = builder.timeline().series[{run::Metric::kHostCpuCoresUsed, run::kHostSource}];
  host = {{builder.timeline().series.at({run::Metric::kProcessCpuCoresUsed, 100}).first_ns(), 2}};
  const auto others = charts_of(builder.timeline(), {.role_points = 50}).roles.at(0).others;
  ASSERT_GT(others.size(), 10U);
  EXPECT_TRUE(std::isnan(others.back()));
}

TEST(Processes, FormATreeAndCountWhatIsLeftOut) {
  auto builder = run_of({.steps = 20});
  for (pid_t pid = 300; pid < 400; ++pid) {
    builder.process(pid, run::ProcRole::kOther).proc.parent = 100;
    builder.series(run::Metric::kProcessCpuCoresUsed, pid, pid == 399 ? 2 : 0.1);
  }
  const auto run = charts_of(builder.timeline());
  ASSERT_EQ(run.processes.size(), 1U);
  const run::ProcessNode& main = run.processes[0];
  EXPECT_EQ(main.children.size() + static_cast<std::size_t>(main.left_out), 100U);
  EXPECT_EQ(main.children.size(), 48U);
  EXPECT_TRUE(std::ranges::any_of(main.children, [](const auto& n) { return n.proc.pid == 399; }));
  EXPECT_GT(main.left_out_cpu_seconds, 0);
}

TEST(Processes, AncestorsThatGoRoundDoNotHang) {
  auto builder = run_of({.steps = 20});
  builder.process(300, run::ProcRole::kOther).proc.parent = 301;
  builder.process(301, run::ProcRole::kOther).proc.parent = 300;
  builder.process(302, run::ProcRole::kOther).proc.parent = 302;
  EXPECT_EQ(charts_of(builder.timeline()).processes.size(), 2U);
}

TEST(Charts, ATimelineWithoutAnythingGivesNothing) {
  const auto run = charts_of(run::Timeline{});
  EXPECT_TRUE(run.steps.empty() && run.series.empty() && run.processes.empty());
  EXPECT_FALSE(run.close_up);
  EXPECT_EQ(run.duration_s, 0);
}

TEST(Charts, FactsAreTheLatestOfEachKey) {
  auto builder = run_of({.steps = 20});
  builder.fact(100, run::facts::kPrecision, R"({"autocast":"off"})")
      .fact(100, run::facts::kPrecision, R"({"autocast":"bfloat16"})");
  const auto facts = charts_of(builder.timeline()).facts;
  ASSERT_EQ(facts.size(), 2U);
  EXPECT_EQ(facts[1].json, R"({"autocast":"bfloat16"})");
}

}  // namespace
}  // namespace flatout::analyse
