#include "collect/budget.h"

#include <gtest/gtest.h>

#include "collect/testing_tree.h"

namespace flatout::collect {
namespace {

constexpr base::DurationNs kTick = base::kSecond / 10;

struct CountingSource final : run::Source {
  explicit CountingSource(int& counter) : calls(counter) {}
  std::string_view name() const override { return "counting"; }
  base::Result<void> sample(base::TimeNs, run::SampleSink&) override {
    ++calls;
    return {};
  }
  int& calls;
};

class BudgetedSourceTest : public ::testing::Test {
 protected:
  // The number of calls that came through in `ticks` ticks.
  int run(int ticks) {
    const int before = calls;
    for (int i = 0; i < ticks; ++i) {
      now += kTick;
      Samples out;
      EXPECT_TRUE(source.sample(now, out));
      for (auto& note : source.take_notes()) notes.push_back(note);
    }
    return calls - before;
  }
  int calls = 0;
  std::int64_t cost = 0;
  std::int64_t cpu = 0;
  base::TimeNs now = base::kSecond;
  std::vector<std::string> notes;
  BudgetedSource source{std::make_unique<CountingSource>(calls), 0, [this] { return cpu += cost; }};
};

TEST_F(BudgetedSourceTest, ACheapSourceIsReadAtEveryTick) {
  cost = 100 * base::kMicrosecond;  // 0.1 % of a core at 10 Hz
  EXPECT_EQ(run(200), 200);
  EXPECT_TRUE(notes.empty());
}

TEST_F(BudgetedSourceTest, ADearOneIsHalvedUntilItFitsAndSaysSoOnce) {
  cost = 1500 * base::kMicrosecond;  // 1.5 % at 10 Hz: fits at a quarter of the rate
  run(200);
  EXPECT_EQ(run(400), 100);
  ASSERT_EQ(notes.size(), 1U);
  EXPECT_NE(notes[0].find("counting"), std::string::npos);
}

TEST_F(BudgetedSourceTest, ABurstDoesNotSlowItForEver) {
  cost = 3 * base::kMillisecond;
  run(200);
  cost = 10 * base::kMicrosecond;
  run(400);
  EXPECT_EQ(run(100), 100);
}

// Readings of drivers have paces of their own: until they are cut short nothing is lost.
TEST(Budget, IsSilentUntilCallsAreMissed) {
  const auto slowed_at = [](std::int64_t cost_ns) {
    Budget budget(kSourceBudgetCores, 8);
    bool said = false;
    for (int tick = 0; tick < 600; ++tick) {
      if (!budget.due()) continue;
      budget.spent(tick * kTick, cost_ns);
      said = said || budget.take_slowed();
    }
    return std::pair(budget.divisor(), said);
  };
  EXPECT_EQ(slowed_at(1500 * base::kMicrosecond), std::pair(4, false));
  EXPECT_EQ(slowed_at(3500 * base::kMicrosecond), std::pair(8, true));
}

TEST(BudgetedSource, APauseIsKeptWhateverTheTicks) {
  int calls = 0;
  BudgetedSource source{std::make_unique<CountingSource>(calls), base::kSecond, [] { return 0; }};
  Samples out;
  // 10 s of ticks that come a millisecond early.
  for (int tick = 0; tick < 100; ++tick) {
    EXPECT_TRUE(source.sample(tick * (kTick - base::kMillisecond), out));
  }
  EXPECT_EQ(calls, 10);
}

struct DeviceSource final : run::Source {
  std::string_view name() const override { return "device"; }
  base::Result<void> sample(base::TimeNs, run::SampleSink&) override { return {}; }
  std::vector<run::Device> take_devices() override {
    run::Device device;
    device.index = 3;
    return {device};
  }
};

// flatout waited for a core between the time of the tick and the read.
TEST(BudgetedSource, WhatWouldBeReadLateIsLeftOutButNotForGood) {
  int calls = 0;
  base::FakeClock clock;
  clock.advance(base::kSecond);
  BudgetedSource source{std::make_unique<CountingSource>(calls), 0, [] { return 0; }, &clock};
  Samples out;
  const auto sample = [&](base::DurationNs late) {
    calls = 0;
    EXPECT_TRUE(source.sample(clock.monotonic() - late, out));
    clock.advance(kTick);
    return calls;
  };
  EXPECT_EQ(sample(0), 1);
  EXPECT_EQ(sample(base::kMillisecond), 1);
  EXPECT_EQ(sample(350 * base::kMillisecond), 0);
  EXPECT_EQ(sample(0), 1);
  int read = 0;
  for (int tick = 0; tick < 10; ++tick) read += sample(20 * base::kMillisecond);
  EXPECT_EQ(read, 2) << "every fifth all the same";
}

TEST(BudgetedSource, DevicesPassThrough) {
  BudgetedSource source{std::make_unique<DeviceSource>()};
  const auto devices = source.take_devices();
  ASSERT_EQ(devices.size(), 1U);
  EXPECT_EQ(devices[0].index, 3);
}

TEST(Budget, ThreadClockGrowsWithWork) {
  const auto before = thread_cpu_ns();
  volatile unsigned sink = 0;
  for (unsigned i = 0; i < 100'000; ++i) sink = sink + i;
  EXPECT_GT(thread_cpu_ns(), before);
}

}  // namespace
}  // namespace flatout::collect
