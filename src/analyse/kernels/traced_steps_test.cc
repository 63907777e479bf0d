// Steps of a run of which only windows were traced.
#include "analyse/kernels/traced_steps.h"

#include <gtest/gtest.h>

#include <vector>

#include "analyse/kernels/kernel_trace_fixture.h"

namespace flatout::analyse {
namespace {

// Of `count` steps of 100 us; something was launched in those that `launched` names.
std::pair<std::size_t, std::size_t> first_and_past(std::size_t count,
                                                   const std::vector<int>& launched) {
  KernelTrace trace;
  for (const int step : launched) trace.launch(100 * step + 10, 100 * step + 20, 100 * step + 30);
  std::vector<Step> steps(count);
  for (std::size_t i = 0; i < count; ++i) {
    steps[i].begin_ns = static_cast<std::int64_t>(i) * 100'000;
    steps[i].end_ns = steps[i].begin_ns + 100'000;
  }
  const run::Timeline timeline = trace.timeline();
  const run::ProcessTrack& process = timeline.processes.at(1);
  const HostTimeline host(process, *timeline.names, StepThread{0, StepThread::kAlways});
  const std::span<const Step> traced = traced_steps(process, host, steps);
  if (traced.empty()) return {0, 0};
  const auto first = static_cast<std::size_t>(traced.data() - steps.data());
  return {first, first + traced.size()};
}

using FirstAndPast = std::pair<std::size_t, std::size_t>;

TEST(TracedSteps, AreAllOfAWholeTrace) {
  EXPECT_EQ(first_and_past(4, {0, 1, 2, 3}), FirstAndPast(0, 4));
}

TEST(TracedSteps, AreTheInnerOnesOfTheLongestWindow) {
  EXPECT_EQ(first_and_past(12, {1, 2, 3, 6, 7, 8, 9, 10}), FirstAndPast(7, 10));
}

TEST(TracedSteps, AWindowAtAnEndIsWholeThere) {
  EXPECT_EQ(first_and_past(8, {0, 1, 2}), FirstAndPast(0, 2));
  EXPECT_EQ(first_and_past(8, {5, 6, 7}), FirstAndPast(6, 8));
}

TEST(TracedSteps, AreNoneWhereNoStepIsWhole) {
  EXPECT_EQ(first_and_past(8, {3, 4}), FirstAndPast(0, 0));
  EXPECT_EQ(first_and_past(8, {}), FirstAndPast(0, 0));
  EXPECT_EQ(first_and_past(0, {1}), FirstAndPast(0, 0));
}

}  // namespace
}  // namespace flatout::analyse
