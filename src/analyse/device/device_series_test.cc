// Which readings of a driver speak of the steps.
#include "analyse/device/device_series.h"

#include <gtest/gtest.h>

#include <vector>

#include "analyse/steps_fixture.h"
#include "analyse/timeline_builder.h"

namespace flatout::analyse {
namespace {

using run::Metric;

constexpr double kSteps = 0.9;
constexpr double kEvaluation = 0.1;

// 700 ms of steps, 500 ms of evaluation, and so on; readings of the last 200 ms each.
struct ReadLoop {
  std::vector<Interval> intervals;
  run::Timeline timeline;
  SteadyTime steady{};

  explicit ReadLoop(int rounds) {
    for (int i = 0; i < rounds; ++i) {
      const double begin = 1200.0 * i + 700;
      intervals.push_back({IntervalKind::kEval, ns(begin), ns(begin + 500)});
    }
    steady = {{0, ns(1200.0 * rounds)}, intervals, 1e6 * 20};
    auto& points = timeline.series[{Metric::kDeviceUtilization, run::device_source(0)}];
    for (double at = 150; at <= 1200.0 * rounds; at += 200) {
      double busy = 0;
      for (int k = 1; k <= 200; ++k) busy += in_steps(at - 200 + k) ? kSteps : kEvaluation;
      points.push_back({ns(at), busy / 200});
    }
  }

  bool in_steps(double ms) const {
    for (const Interval& interval : intervals) {
      if (ns(ms) > interval.begin_ns && ns(ms) <= interval.end_ns) return false;
    }
    return true;
  }
};

TEST(DeviceSeries, AReadingThatReachesIntoAnEvaluationIsNotOfTheSteps) {
  const ReadLoop loop(6);
  const DeviceSeries series(loop.timeline, 0, loop.steady);
  EXPECT_NEAR(*series.mean(Metric::kDeviceUtilization), kSteps, 0.02);
}

TEST(DeviceSeries, FewReadingsAreBetterThanNone) {
  const ReadLoop loop(1);
  const DeviceSeries series(loop.timeline, 0, loop.steady);
  EXPECT_EQ(series.steady(Metric::kDeviceUtilization).size(), 3U);
}

// Two readings of steps and one that began in the start before them.
TEST(DeviceSeries, OfWhatIsReadOnceASecondTheReadingsOfStepsAloneCount) {
  run::Timeline timeline;
  timeline.series[{Metric::kDeviceOthersUtilization, run::device_source(0)}] = {
      {ns(1000), 1.0}, {ns(2000), 0.8}, {ns(3000), 0.4}, {ns(4000), 0.5}};
  const SteadyTime three = {{ns(1600), ns(4100)}, {}, 1e6 * 20};
  EXPECT_NEAR(*DeviceSeries(timeline, 0, three).mean_of_slow(Metric::kDeviceOthersUtilization),
              0.45, 1e-9);
  const SteadyTime one = {{ns(1600), ns(2900)}, {}, 1e6 * 20};  // none is better
  EXPECT_NEAR(*DeviceSeries(timeline, 0, one).mean_of_slow(Metric::kDeviceOthersUtilization), 0.8,
              1e-9);
}

}  // namespace
}  // namespace flatout::analyse
