#include "analyse/compare/trace_changes.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "analyse/analyse.h"
#include "analyse/kernels/kernel_trace_fixture.h"

namespace flatout::analyse {
namespace {

struct Traced {
  explicit Traced(const KernelTrace& trace)
      : timeline(trace.timeline()), analysis(measure(timeline)), report(analyse(timeline)) {}
  Analysed view() const { return {&timeline, &analysis, &report}; }

  run::Timeline timeline;
  Analysis analysis;
  run::Report report;
};

// 20 steps of 1 ms; a kernel of `kernel_us` each, behind a fetch.
KernelTrace steps_of(std::int64_t kernel_us, const std::string& name, std::int64_t step_us) {
  KernelTrace trace;
  for (std::int64_t at = 0; at < 20 * step_us; at += step_us) {
    trace.phase(run::Phase::kDataWait, at, at + step_us - kernel_us - 20);
    trace.phase(run::Phase::kForward, at + step_us - kernel_us - 20, at + step_us - kernel_us - 5);
    trace.kernel(at + step_us - kernel_us, at + step_us, 0, name);
    trace.phase(run::Phase::kOptimizer, at + step_us - 4, at + step_us - 2);
    trace.step(at + step_us - 1);
  }
  return trace;
}

const run::TimeChange& named(const std::vector<run::TimeChange>& changes, const std::string& name) {
  return *std::ranges::find(changes, name, &run::TimeChange::name);
}

TEST(TraceChanges, TimesOfAStep) {
  const Traced before(steps_of(400, "sgemm", 1000));
  const Traced after(steps_of(200, "gelu_elementwise_kernel", 1000));
  const auto changes = trace_changes(before.view(), after.view());
  ASSERT_TRUE(changes);
  EXPECT_TRUE(changes->by_step);
  // A window ends with its last kernel, and so misses the first fetch: 19.4 steps of 20.
  EXPECT_NEAR(*named(changes->classes, "gemm").before_ms,
              0.4 * 20 / 19.4 * *before.report.steps->mean_ms, 1e-6);
  EXPECT_FALSE(named(changes->classes, "gemm").after_ms);
  ASSERT_EQ(changes->kernels.size(), 2U);
  EXPECT_EQ(changes->kernels[0].name, "sgemm");
  EXPECT_EQ(changes->kernels[0].presence, run::Presence::kWent);
  EXPECT_EQ(changes->kernels[1].presence, run::Presence::kCame);
  EXPECT_NEAR(*changes->kernels[1].after_count, 20 / 19.2 * *after.report.steps->mean_ms, 1e-6);
  EXPECT_GT(*named(changes->idle, "data").after_ms, *named(changes->idle, "data").before_ms);
}

TEST(TraceChanges, OfASecondWhereOneHasNoSteps) {
  KernelTrace plain;
  for (int i = 0; i < 10; ++i) plain.kernel(100 * i, 100 * i + 50, 0, "sgemm");
  const Traced before(plain);
  const Traced after(steps_of(200, "sgemm", 1000));
  const auto changes = trace_changes(before.view(), after.view());
  ASSERT_TRUE(changes);
  EXPECT_FALSE(changes->by_step);
  EXPECT_NEAR(*named(changes->classes, "gemm").before_ms, 1000 * 500.0 / 950, 1e-6);
  EXPECT_EQ(changes->kernels[0].presence, run::Presence::kStayed);
}

// As of torchrun: a process for each device. The one whose steps count is not the one whose device
// computes most.
TEST(TraceChanges, EachDeviceHasItsProcess) {
  const auto of_two = [](std::int64_t us) {
    constexpr std::uint32_t kOthers = 9;  // stream
    KernelTrace trace = steps_of(200, "sgemm", 1000);
    for (std::int64_t i = 0; i < 20; ++i) {
      trace.kernel(1000 * i, 1000 * i + us, 0, "flash_fwd_kernel", kOthers);
    }
    run::Timeline timeline = trace.timeline();
    std::vector<run::DeviceActivity> own, others;
    for (run::DeviceActivity activity : timeline.processes.at(1).activities) {
      activity.device = activity.stream == kOthers ? 1 : 0;
      (activity.device == 1 ? others : own).push_back(activity);
    }
    timeline.processes.at(1).activities = own;
    timeline.processes[2].proc.pid = 2;
    timeline.processes[2].activities = others;
    return timeline;
  };
  const run::Timeline before = of_two(600), after = of_two(700);
  const Analysis first = measure(before), second = measure(after);
  const run::Report report_before = analyse(before), report_after = analyse(after);
  const auto changes =
      trace_changes({&before, &first, &report_before}, {&after, &second, &report_after});
  ASSERT_TRUE(changes);
  ASSERT_EQ(changes->kernels.size(), 1U);
  EXPECT_EQ(changes->kernels[0].name, "flash_fwd_kernel");
  EXPECT_EQ(changes->kernels[0].presence, run::Presence::kStayed);
}

TEST(TraceChanges, AbsentWithoutATrace) {
  const Traced traced(steps_of(200, "sgemm", 1000));
  run::Timeline timeline;
  const Analysis analysis = measure(timeline);
  const run::Report report = analyse(timeline);
  EXPECT_FALSE(trace_changes(traced.view(), {&timeline, &analysis, &report}));
}

}  // namespace
}  // namespace flatout::analyse
