#include "analyse/repeating/repeating_steps.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>

#include "analyse/repeating/sequence_fixture.h"

namespace flatout::analyse {
namespace {

std::vector<Step> steps_found(const DeviceProgram& program) {
  const auto found = find_repeating_steps(program.timeline());
  return found ? found->steps : std::vector<Step>();
}

// A batch, 6 layers there and back, an update, and a wait for the host.
DeviceProgram& train_once(DeviceProgram& program, const std::string& update = "sgd_update") {
  program.mark().idle(300).to_device();
  for (int layer = 0; layer < 6; ++layer) program.kernels("forward", 4);
  program.kernel("loss");
  for (int layer = 0; layer < 6; ++layer) program.kernels("backward", 5);
  return program.kernel(update);
}

TEST(RepeatingSteps, AreThoseOfTheProgram) {
  DeviceProgram program;
  for (int i = 0; i < 20; ++i) train_once(program);
  const std::vector<Step> steps = steps_found(program);
  ASSERT_EQ(steps.size(), 20U);
  EXPECT_EQ(steps[0].begin_ns, program.marks_ns()[0] + 300'000) << "not before it did anything";
  for (std::size_t i = 1; i < 20; ++i) EXPECT_EQ(steps[i].begin_ns, program.marks_ns()[i]);
  EXPECT_EQ(steps.back().end_ns, program.now_ns());
  EXPECT_EQ(steps[3].phase_ns(run::Phase::kOther), steps[3].own_ns);
}

TEST(RepeatingSteps, NeedNoNamesThatSayWhatTheyAre) {
  DeviceProgram program;
  for (int i = 0; i < 20; ++i) train_once(program, "k17");
  EXPECT_EQ(steps_found(program).size(), 20U);
}

TEST(RepeatingSteps, StartUpIsNone) {
  DeviceProgram program;
  for (int i = 0; i < 200; ++i) program.kernel("fill" + std::to_string(i % 37));
  for (int i = 0; i < 120; ++i) program.kernels("candidate", 1 + i % 7);
  for (int i = 0; i < 30; ++i) train_once(program);
  const std::vector<Step> steps = steps_found(program);
  ASSERT_EQ(steps.size(), 30U);
  EXPECT_EQ(steps.front().begin_ns, program.marks_ns().front());
}

TEST(RepeatingSteps, AStartUpByTheSameKernelsIsNone) {
  DeviceProgram program;
  for (int i = 0; i < 40; ++i) program.kernel(i % 3 == 0 ? "sgd_update" : "forward0");
  for (int i = 0; i < 60; ++i) train_once(program);
  const std::vector<Step> steps = steps_found(program);
  ASSERT_EQ(steps.size(), 60U);
  EXPECT_EQ(steps[1].begin_ns, program.marks_ns()[1]);
}

TEST(RepeatingSteps, LogsAndEvaluationsLieInTheStepBefore) {
  DeviceProgram program;
  for (int i = 1; i <= 60; ++i) {
    train_once(program);
    if (i % 5 == 0) program.kernel("mean_loss").to_host();
    if (i % 20 != 0) continue;
    for (int batch = 0; batch < 8; ++batch) {
      program.idle(50).to_device();
      for (int layer = 0; layer < 6; ++layer) program.kernels("forward", 4);
      program.kernel("count_right").to_host();
    }
  }
  const std::vector<Step> steps = steps_found(program);
  ASSERT_EQ(steps.size(), 60U);
  for (std::size_t i = 1; i < 60; ++i) EXPECT_EQ(steps[i].begin_ns, program.marks_ns()[i]) << i;
}

TEST(RepeatingSteps, GradientsAreAccumulatedInOneStep) {
  for (const int batches : {2, 4, 8}) {
    for (const char* const update : {"multi_tensor_apply_kernel<adam>", "k9"}) {
      DeviceProgram program;
      for (int i = 0; i < 16; ++i) {
        program.mark().idle(200);
        for (int batch = 0; batch < batches; ++batch) {
          program.to_device().kernels("forward", 8).kernels("backward", 9);
        }
        program.kernel(update);
      }
      const std::vector<Step> steps = steps_found(program);
      ASSERT_EQ(steps.size(), 16U) << batches << update;
      EXPECT_EQ(steps[5].begin_ns, program.marks_ns()[5]);
    }
  }
}

TEST(RepeatingSteps, ALayerIsNoStep) {
  DeviceProgram program;
  for (int i = 0; i < 12; ++i) {
    program.mark().idle(100).to_device();
    for (int layer = 0; layer < 24; ++layer) program.kernels("block", 5);
    program.kernel("head").kernel("loss").to_host();
  }
  EXPECT_EQ(steps_found(program).size(), 12U);
}

TEST(RepeatingSteps, AFewOtherKernelsDoNoHarm) {
  std::mt19937 random(7);  // NOLINT(cert-msc51-cpp): the same each time
  DeviceProgram program;
  for (int i = 0; i < 100; ++i) {
    train_once(program);
    if (random() % 3 == 0) program.kernels("now_and_then", static_cast<int>(random() % 4));
  }
  EXPECT_EQ(steps_found(program).size(), 100U);
}

TEST(RepeatingSteps, StreamsOfTwoContextsAreTwo) {
  DeviceProgram program;
  for (int i = 0; i < 30; ++i) {
    program.idle(100).to_device();
    program.kernel("a", 7, 1).kernel("a", 7, 2).kernel("b", 7, 1).kernel("a", 7, 2);
  }
  const auto found = find_repeating_steps(program.timeline());
  ASSERT_TRUE(found);
  EXPECT_EQ(found->steps.size(), 30U);
  EXPECT_EQ(found->activities, 5U);
}

TEST(RepeatingSteps, WithoutAPeriodThereAreNone) {
  EXPECT_TRUE(steps_found(DeviceProgram().kernel("a").kernel("b")).empty());
  DeviceProgram same;
  for (int i = 0; i < 500; ++i) same.kernel("a");
  EXPECT_TRUE(steps_found(same).empty());
  DeviceProgram ever_new;
  ever_new.kernels("k", 500);
  EXPECT_TRUE(steps_found(ever_new).empty());
  EXPECT_FALSE(find_repeating_steps(run::Timeline()));
}

TEST(RepeatingSteps, LayersOfOneStepAreNone) {
  DeviceProgram program;
  program.to_device();
  for (int layer = 0; layer < 32; ++layer) program.kernels("layer", 12);
  program.kernel("head").to_host();
  EXPECT_TRUE(steps_found(program).empty());
}

TEST(RepeatingSteps, ManyAreStepsWithoutACopy) {
  DeviceProgram program;
  for (int i = 0; i < 150; ++i) program.idle(20).kernels("k", 12);
  EXPECT_EQ(steps_found(program).size(), 150U);
}

TEST(RepeatingSteps, AreOfOneKind) {
  DeviceProgram program;
  for (int i = 0; i < 20; ++i) program.idle(i % 2 == 0 ? 10 : 100'000).to_device().kernels("k", 6);
  EXPECT_TRUE(steps_found(program).empty());
}

TEST(RepeatingSteps, ChanceIsNoPeriod) {
  std::mt19937 random(11);  // NOLINT(cert-msc51-cpp): the same each time
  for (int round = 0; round < 300; ++round) {
    DeviceProgram program;
    const auto kernels = 2 + random() % 60;
    const auto length = 50 + random() % 3000;
    const bool regular =
        round % 3 == 0;  // one kernel comes at even distances, for what it is worth
    for (std::size_t i = 0; i < length; ++i) {
      if (regular && i % 97 == 0) program.kernel("tick");
      program.kernel("k" + std::to_string(random() % kernels));
    }
    EXPECT_TRUE(steps_found(program).empty()) << round << ": " << kernels << ", " << length;
  }
}

// Any step, repeated: with kernels that come several times, loops within, and work in between.
TEST(RepeatingSteps, HaveThePeriodOfAnyProgram) {
  std::mt19937 random(5);  // NOLINT(cert-msc51-cpp): the same each time
  for (int round = 0; round < 300; ++round) {
    std::vector<std::string> step = {"update"};
    const std::size_t parts = 1 + random() % 4;
    for (std::size_t part = 0; part < parts; ++part) {
      std::vector<std::string> body;
      const std::size_t length = 1 + random() % 12;
      for (std::size_t i = 0; i < length; ++i) {
        body.push_back("p" + std::to_string(part) + "k" + std::to_string(random() % 8));
      }
      const std::size_t times = random() % 2 == 0 ? 1 : 1 + random() % 12;
      for (std::size_t i = 0; i < times; ++i) step.insert(step.end(), body.begin(), body.end());
    }
    if (step.size() < 3) continue;
    DeviceProgram program;
    const std::size_t start_up = random() % 100, count = 12 + random() % 60;
    for (std::size_t i = 0; i < start_up; ++i) program.kernel("s" + std::to_string(random() % 9));
    const std::size_t every = 5 + random() % 9;
    for (std::size_t i = 0; i < count; ++i) {
      program.mark().idle(500).to_device();
      for (const std::string& name : step) program.kernel(name);
      if (i % every == every - 1) program.kernels("log", 2).to_host();
    }
    const std::vector<Step> steps = steps_found(program);
    ASSERT_EQ(steps.size(), count) << round << ", of " << step.size();
    EXPECT_EQ(steps[2].begin_ns, program.marks_ns()[2]) << round;
  }
}

TEST(RepeatingSteps, OfWindowsLieInOneAsAWhole) {
  DeviceProgram program;
  for (int i = 0; i < 100; ++i) train_once(program);
  run::Timeline timeline = program.timeline();
  timeline.info.trace_file = "";
  run::ProcessTrack& process = timeline.processes.at(1);
  std::size_t whole = 0;
  const auto& marks = program.marks_ns();
  for (std::size_t first = 5; first + 5 < marks.size(); first += 20) {
    // From within a step, over four, into another one.
    process.trace_windows.own().push_back(
        {.begin_ns = marks[first] + 100'000, .end_ns = marks[first + 5] + 200'000});
    whole += 4;
  }
  std::erase_if(process.activities.own(), [&](const run::DeviceActivity& activity) {
    return std::ranges::none_of(process.trace_windows, [&](const run::TraceWindow& window) {
      return window.begin_ns <= activity.begin_ns && activity.begin_ns < window.end_ns;
    });
  });
  const auto found = find_repeating_steps(timeline);
  ASSERT_TRUE(found);
  EXPECT_FALSE(found->gapless);
  EXPECT_EQ(found->steps.size(), whole);
  for (const Step& step : found->steps) EXPECT_TRUE(std::ranges::count(marks, step.begin_ns) == 1);
}

// Steps of one kernel, whatever their number, as long as the host waits for each.
TEST(RepeatingSteps, OfOneKernelAreKnownByTheHostsWaits) {
  std::mt19937 random(11);  // NOLINT(cert-msc51-cpp): the same each time
  for (const int count : {130, 131, 500, 3000}) {
    DeviceProgram program;
    for (int i = 0; i < 5; ++i) program.kernel("fill");
    for (int i = 0; i < count; ++i) {
      program.mark().kernel("whole_step").wait(20 + static_cast<std::int64_t>(random() % 30));
      if (i % 100 == 99) program.to_host();  // a log
    }
    const std::vector<Step> steps = steps_found(program);
    ASSERT_EQ(steps.size(), static_cast<std::size_t>(count));
    // The first begins with its kernel, each of the others with what the device waits for it.
    for (std::size_t i = 1; i < steps.size(); ++i) {
      ASSERT_EQ(steps[i].begin_ns, steps[i - 1].end_ns);
      ASSERT_LE(steps[i].begin_ns, program.marks_ns()[i]);
      ASSERT_GT(steps[i].end_ns, program.marks_ns()[i]);
    }
  }
}

TEST(RepeatingSteps, OfOneKernelNobodyWaitsForAreNone) {
  std::mt19937 random(13);  // NOLINT(cert-msc51-cpp): the same each time
  DeviceProgram program;
  for (int i = 1; i <= 2000; ++i) {
    program.kernel("sweep").idle(static_cast<std::int64_t>(random() % 3));
  }
  EXPECT_TRUE(steps_found(program).empty());
}

TEST(RepeatingSteps, OfOneKernelFewAreNone) {
  DeviceProgram program;
  for (int i = 0; i < 128; ++i) program.kernel("whole_step").wait(20);
  EXPECT_TRUE(steps_found(program).empty());
}

}  // namespace
}  // namespace flatout::analyse
