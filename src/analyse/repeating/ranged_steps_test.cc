#include "analyse/repeating/ranged_steps.h"

#include <gtest/gtest.h>

#include <memory>
#include <string>

#include "analyse/analyse.h"
#include "analyse/run_steps.h"

namespace flatout::analyse {
namespace {

constexpr std::int64_t kMs = 1'000'000;
constexpr std::uint16_t kLane = run::kFirstTraceLane;

// A process of a run that is traced from 0 to `end_ms`.
class RangedRun {
 public:
  explicit RangedRun(std::int64_t end_ms) {
    timeline_.names = names_;
    timeline_.state = run::RunState::kFinished;
    timeline_.last_ns = end_ms * kMs;
    process().proc.pid = 1;
    process().trace_windows.own().push_back({.begin_ns = 0, .end_ns = end_ms * kMs});
  }
  RangedRun& range(const std::string& name, std::int64_t begin_ms, std::int64_t end_ms,
                   run::HostSpanKind kind = run::HostSpanKind::kAnnotation) {
    process().host_spans.own().push_back({.begin_ns = begin_ms * kMs,
                                          .end_ns = end_ms * kMs,
                                          .name = names_->add(name),
                                          .lane = kLane,
                                          .kind = kind});
    return *this;
  }
  // Iterations of 8 ms, each 10 ms.
  RangedRun& iterations(int first, int past) {
    for (int i = first; i < past; ++i) {
      range("iteration " + std::to_string(i), 10 * i, 10 * i + 8);
      range("forward", 10 * i + 1, 10 * i + 3);
    }
    return *this;
  }
  // Of 2 ms each 10 ms, after a slow fetch; what is launched is launched in them.
  RangedRun& thin_iterations(int first, int past) {
    for (int i = first; i < past; ++i) {
      range("iteration " + std::to_string(i), 10 * i + 7, 10 * i + 9);
      range("cudaLaunchKernel", 10 * i + 8, 10 * i + 8, run::HostSpanKind::kCall);
    }
    return *this;
  }
  RangedRun& windows(std::initializer_list<std::pair<int, int>> of_ms) {
    process().trace_windows.own().clear();
    for (const auto& [begin, end] : of_ms) {
      process().trace_windows.own().push_back({.begin_ns = begin * kMs, .end_ns = end * kMs});
    }
    return *this;
  }
  run::ProcessTrack& process() { return timeline_.processes[1]; }
  run::Timeline& timeline() { return timeline_; }

 private:
  std::shared_ptr<run::NameTable> names_ = std::make_shared<run::NameTable>();
  run::Timeline timeline_;
};

TEST(RangedSteps, GoFromTheEndOfOneToTheEndOfTheNext) {
  RangedRun run(100);
  const auto found = find_ranged_steps(run.iterations(1, 8).timeline());
  ASSERT_TRUE(found);
  ASSERT_EQ(found->steps.size(), 7U);
  EXPECT_EQ(found->ranges, "iteration #");
  EXPECT_TRUE(found->gapless);
  EXPECT_EQ(found->steps[0].begin_ns, 10 * kMs) << "the first begins with its range";
  EXPECT_EQ(found->steps[0].end_ns, 18 * kMs);
  EXPECT_EQ(found->steps[1].begin_ns, 18 * kMs);
  EXPECT_EQ(found->steps[6].end_ns, 78 * kMs);
}

// As of a loop that begins the next batch before the last one is through.
TEST(RangedSteps, OfRangesAcrossEachOtherGoFromEndToEnd) {
  RangedRun run(100);
  for (int i = 0; i < 8; ++i) {
    run.range("step " + std::to_string(i), 10 * i, 10 * i + 13, run::HostSpanKind::kRange);
  }
  const auto found = find_ranged_steps(run.timeline());
  ASSERT_TRUE(found);
  EXPECT_EQ(found->ranges, "step #");
  ASSERT_EQ(found->steps.size(), 8U);
  EXPECT_EQ(found->steps[0].own_ns, 13 * kMs);
  for (std::size_t i = 1; i < 8; ++i) EXPECT_EQ(found->steps[i].own_ns, 10 * kMs);
}

TEST(RangedSteps, OfWindowsLieInOne) {
  RangedRun run(10'000);
  run.windows({{5, 45}, {500, 545}}).iterations(1, 4).iterations(51, 54);
  const auto found = find_ranged_steps(run.timeline());
  ASSERT_TRUE(found);
  EXPECT_FALSE(found->gapless);
  // Of each window the first range only says where the second step begins.
  ASSERT_EQ(found->steps.size(), 4U);
  for (const Step& step : found->steps) EXPECT_EQ(step.own_ns, 10 * kMs);
}

// What a slow loader takes between two is part of the second; what lies between two windows is not.
TEST(RangedSteps, MayBeShortBeforeALongFetch) {
  RangedRun run(10'000);
  run.windows({{5, 75}, {500, 575}}).thin_iterations(1, 7).thin_iterations(51, 57);
  const auto found = find_ranged_steps(run.timeline());
  ASSERT_TRUE(found);
  ASSERT_EQ(found->steps.size(), 10U);
  for (const Step& step : found->steps) EXPECT_EQ(step.own_ns, 10 * kMs);
}

TEST(RangedSteps, ArePartOfTheReport) {
  RangedRun run(1000);
  run.iterations(1, 90);
  const run::Report report = analyse(run.timeline());
  ASSERT_TRUE(report.steps);
  EXPECT_EQ(report.steps->source, "ranges");
  EXPECT_EQ(report.steps->count, 89);
  EXPECT_FALSE(report.steps->activities);
  EXPECT_NEAR(report.steps->median_ms.value_or(0), 10, 1e-9);
  std::size_t counted = 0;
  RunSteps(run.timeline()).each([&](const Step&, bool) { return ++counted > 0; });
  EXPECT_EQ(counted, 89U) << "who asks for steps alone gets the same";
}

TEST(RangedSteps, AreNotThereWithoutRangesThatRepeat) {
  RangedRun empty(100), twice(100), foreign(100);
  twice.iterations(1, 3);
  foreign.iterations(1, 8).timeline().info.trace_file = "trace.json";
  for (RangedRun* run : {&empty, &twice, &foreign}) {
    EXPECT_FALSE(find_ranged_steps(run->timeline()));
  }
}

}  // namespace
}  // namespace flatout::analyse
