#include "analyse/repeating/waited_bursts.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <optional>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include "analyse/repeating/repeating_steps.h"
#include "analyse/repeating/sequence_fixture.h"

namespace flatout::analyse {
namespace {

using Random = std::mt19937;

DeviceProgram& burst(DeviceProgram& program, std::size_t kernels, std::int64_t idle_us = 30) {
  for (std::size_t i = 0; i < kernels; ++i) program.kernel("work");
  return program.wait(idle_us);
}

std::optional<RepeatingSteps> bursts_found(const DeviceProgram& program) {
  return find_repeating_steps(program.timeline());
}

// Each step from the end of the one before, with its begin in between.
void expect_steps(const std::optional<RepeatingSteps>& found, const DeviceProgram& program) {
  const std::vector<std::int64_t>& marks = program.marks_ns();
  ASSERT_TRUE(found);
  ASSERT_EQ(found->steps.size(), marks.size());
  EXPECT_TRUE(found->bursts);
  for (std::size_t i = 1; i < marks.size(); ++i) {
    ASSERT_EQ(found->steps[i].begin_ns, found->steps[i - 1].end_ns);
    ASSERT_LE(found->steps[i].begin_ns, marks[i]);
    ASSERT_GT(found->steps[i].end_ns, marks[i]);
  }
}

TEST(WaitedBursts, AreSteps) {
  for (const std::size_t kernels : {2U, 3U, 5U, 24U, 100U}) {
    DeviceProgram program;
    for (int i = 0; i < 150; ++i) burst(program.mark(), kernels);
    const auto found = bursts_found(program);
    expect_steps(found, program);
    EXPECT_EQ(found->activities, kernels);
  }
}

TEST(WaitedBursts, MayDifferInTheirNumberOfKernels) {
  Random random(11);  // NOLINT(cert-msc51-cpp): the same each time
  for (const auto& [least, most] : {std::pair(4, 7), std::pair(20, 60), std::pair(2, 3)}) {
    DeviceProgram program;
    for (int i = 0; i < 400; ++i) {
      const auto more = random() % static_cast<unsigned>(most - least + 1);
      burst(program.mark(), static_cast<std::size_t>(least) + more, 20 + static_cast<int>(more));
    }
    expect_steps(bursts_found(program), program);
  }
}

TEST(WaitedBursts, StartUpIsNoneAndEvaluationsLieInTheStepBefore) {
  for (const std::size_t evaluation : {2U, 12U}) {
    DeviceProgram program;
    program.kernels("fill", 4);
    burst(program, 40);
    for (int i = 1; i <= 200; ++i) {
      burst(program.mark(), 5);
      if (i % 50 == 0) program.to_host();
      for (int batch = 0; i % 20 == 0 && batch < 5; ++batch) burst(program, evaluation);
    }
    expect_steps(bursts_found(program), program);
  }
}

TEST(WaitedBursts, FewAreNone) {
  for (const int count : {128, 129}) {
    DeviceProgram program;
    for (int i = 0; i < count; ++i) burst(program.mark(), 5);
    EXPECT_EQ(bursts_found(program).has_value(), count > 128);
  }
}

TEST(WaitedBursts, LaunchedAheadAreNone) {
  for (const int each : {2, 3, 10}) {
    DeviceProgram program;
    for (int i = 1; i <= 4000; ++i) {
      program.kernel("sweep");
      if (i % each == 0) program.wait_for_older();
    }
    EXPECT_FALSE(bursts_found(program)) << each;
  }
}

TEST(WaitedBursts, WithoutTheHostsCallsAreNone) {
  DeviceProgram program;
  for (int i = 0; i < 400; ++i) burst(program, 5);
  run::Timeline timeline = program.timeline();
  timeline.processes.at(1).host_spans = {};
  EXPECT_FALSE(find_repeating_steps(timeline));
}

// Forward, wait, backward, wait: a turn is half a step.
TEST(WaitedBursts, PartsOfALoopAreNone) {
  for (const auto& parts : {std::vector<std::size_t>{3, 5}, {4, 5, 6}, {20, 24, 20, 30}}) {
    DeviceProgram program;
    for (int i = 0; i < 300; ++i) {
      for (const std::size_t kernels : parts) burst(program, kernels);
    }
    EXPECT_FALSE(bursts_found(program)) << parts.size();
  }
}

TEST(WaitedBursts, AmongOtherKernelsAreNone) {
  DeviceProgram program;
  Random random(17);  // NOLINT(cert-msc51-cpp): the same each time
  for (int i = 0; i < 400; ++i) {
    burst(program, 3);
    if (random() % 3 == 0) program.kernel("other" + std::to_string(random() % 50));
  }
  EXPECT_FALSE(bursts_found(program));
}

// The host waits for the device after each kernel with some chance.
TEST(WaitedBursts, ByChanceAreNone) {
  Random random(19);  // NOLINT(cert-msc51-cpp): the same each time
  for (int round = 0; round < 300; ++round) {
    const auto in_hundred = 1 + random() % 85;  // from 90 on each is waited for
    DeviceProgram program;
    std::size_t turns = 0;
    for (int i = 0; i < 40'000 && turns < 200; ++i) {
      program.kernel("k");
      if (random() % 100 >= in_hundred) continue;
      program.wait(30);
      ++turns;
    }
    EXPECT_FALSE(bursts_found(program)) << in_hundred;
  }
}

TEST(WaitedBursts, OfWindowsLieInOneAsAWhole) {
  DeviceProgram program;
  for (int i = 0; i < 600; ++i) burst(program.mark(), 5);
  run::Timeline timeline = program.timeline();
  timeline.info.trace_file = "";
  run::ProcessTrack& process = timeline.processes.at(1);
  const auto& marks = program.marks_ns();
  std::size_t whole = 0;
  for (std::size_t first = 5; first + 30 < marks.size(); first += 50) {
    // From within a step, over 29, into another one.
    process.trace_windows.own().push_back(
        {.begin_ns = marks[first] + 15'000, .end_ns = marks[first + 30] + 15'000});
    whole += 29;
  }
  const auto outside = [&](const auto& one) {
    return std::ranges::none_of(process.trace_windows, [&](const run::TraceWindow& window) {
      return window.begin_ns <= one.begin_ns && one.begin_ns < window.end_ns;
    });
  };
  std::erase_if(process.activities.own(), outside);
  std::erase_if(process.host_spans.own(), outside);
  const auto found = find_repeating_steps(timeline);
  ASSERT_TRUE(found);
  EXPECT_EQ(found->steps.size(), whole);
  for (const Step& step : found->steps) EXPECT_EQ(step.own_ns, 80'000);
}

}  // namespace
}  // namespace flatout::analyse
