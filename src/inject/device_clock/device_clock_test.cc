#include "inject/device_clock/device_clock.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <memory>
#include <mutex>
#include <thread>
#include <vector>

#include "inject/device_clock/fake/made_up_device_for_test.h"

namespace flatout::inject::device_clock {
namespace {

using run::Phase;
using ::testing::ElementsAre;
using ::testing::IsEmpty;

struct Time {
  Phase phase;
  std::int64_t ns;
  std::uint32_t step, device;
  bool operator==(const Time&) const = default;
};
std::vector<Time> times;

void keep(Phase phase, std::int64_t ns, std::uint32_t step, std::uint32_t device) {
  times.push_back({phase, ns, step, device});
}

class DeviceClockTest : public ::testing::Test {
 protected:
  DeviceClockTest() { times.clear(); }

  Status boundary(Phase open, std::uint32_t step = 0) {
    return clock_->boundary(device_.driver(), {fake_driver.device, nullptr}, open, step, keep);
  }

  MadeUpDevice device_;
  std::unique_ptr<DeviceClock> clock_ = std::make_unique<DeviceClock>();
};

TEST_F(DeviceClockTest, TimeBelongsToThePhaseThatWasOpenAfterTheFirst) {
  boundary(Phase::kForward, 3);
  device_.works(7);
  boundary(Phase::kBackward, 3);
  device_.works(5);
  boundary(Phase::kOther, 4);
  device_.host_waits();
  boundary(Phase::kOther, 4);
  EXPECT_THAT(times, ElementsAre(Time{Phase::kForward, 7'000'000, 3, 0},
                                 Time{Phase::kBackward, 5'000'000, 3, 0}));
  EXPECT_EQ(fake_driver.queried, 0);
}

TEST_F(DeviceClockTest, WhatIsNotDoneIsAskedLater) {
  boundary(Phase::kForward);
  device_.works(7);
  boundary(Phase::kOther);
  boundary(Phase::kOther);
  EXPECT_THAT(times, IsEmpty());
  device_.host_waits();
  boundary(Phase::kOther);
  EXPECT_EQ(times.size(), 2U);
}

TEST_F(DeviceClockTest, BehindAWaitAllIsReadOfAHostThatWasTenStepsAhead) {
  for (int i = 0; i < 100; ++i) {
    boundary(Phase::kForward);
    device_.works(1);
  }
  boundary(Phase::kSync);
  device_.host_waits();
  boundary(Phase::kOther);
  EXPECT_EQ(times.size(), 100U);
}

TEST_F(DeviceClockTest, OneBoundaryReadsSoManyTimesAtMost) {
  for (int i = 0; i < 2 * DeviceClock::kReadAtOnce; ++i) {
    boundary(Phase::kForward);
    device_.works(1);
  }
  device_.host_waits();
  const auto asked = fake_driver.elapsed;
  boundary(Phase::kForward);
  EXPECT_EQ(fake_driver.elapsed - asked, DeviceClock::kReadAtOnce);
  EXPECT_EQ(times.size(), static_cast<std::size_t>(DeviceClock::kReadAtOnce));
}

TEST_F(DeviceClockTest, ABoundaryAsksOnceWhereNothingIsDone) {
  for (int i = 0; i < 20; ++i) {
    boundary(Phase::kForward);
    device_.works(1);
  }
  EXPECT_EQ(fake_driver.recorded, 20);
  EXPECT_EQ(fake_driver.elapsed, 18);  // none before there are two
}

TEST_F(DeviceClockTest, NoTimeLeadsOverABreak) {
  boundary(Phase::kForward);
  device_.works(1);
  boundary(Phase::kBackward);
  clock_->break_chain();
  device_.works(2);
  boundary(Phase::kOptimizer);
  device_.works(4);
  boundary(Phase::kOther);
  device_.host_waits();
  boundary(Phase::kOther);
  EXPECT_THAT(times, ElementsAre(Time{Phase::kForward, 1'000'000, 0, 0},
                                 Time{Phase::kOptimizer, 4'000'000, 0, 0}));
}

TEST_F(DeviceClockTest, WhereEventsRunOutTheChainIsBrokenAndBegunAnew) {
  constexpr int kBoundaries = DeviceClock::kEvents + 50;
  for (int i = 0; i < kBoundaries; ++i) {
    ASSERT_EQ(boundary(Phase::kForward, static_cast<std::uint32_t>(i)), Status::kSuccess);
    device_.works(1);
  }
  EXPECT_EQ(fake_driver.made, DeviceClock::kEvents);
  EXPECT_THAT(times, IsEmpty());
  device_.host_waits();
  for (int i = 0; i < 400; ++i) {
    boundary(Phase::kOther, 100'000);
    device_.works(1);
    device_.host_waits();
  }
  for (const Time& time : times) EXPECT_EQ(time.ns, 1'000'000) << time.step;
  EXPECT_EQ(fake_driver.made, DeviceClock::kEvents);
  EXPECT_GT(times.size(), static_cast<std::size_t>(DeviceClock::kEvents));
}

TEST_F(DeviceClockTest, EventsAreOfOneDeviceEach) {
  for (int i = 0; i < 1200; ++i) {
    fake_driver.device = i / 20 % 2;
    ASSERT_EQ(boundary(Phase::kForward), Status::kSuccess);
    device_.works(1);
    device_.host_waits();
  }
  EXPECT_LT(fake_driver.made, 10);
  EXPECT_GT(times.size(), 1100U);
  for (const Time& time : times) EXPECT_EQ(time.ns, 1'000'000);
}

TEST_F(DeviceClockTest, ADeviceBeyondTheLastIsNotTimed) {
  fake_driver.device = kDevices;
  for (int i = 0; i < 10; ++i) ASSERT_EQ(boundary(Phase::kForward), Status::kSuccess);
  EXPECT_EQ(fake_driver.made, 0);
  EXPECT_EQ(fake_driver.recorded, 0);
}

TEST_F(DeviceClockTest, AnErrorIsHandedOn) {
  boundary(Phase::kForward);
  fake_driver.fails = 700;
  EXPECT_EQ(boundary(Phase::kForward), static_cast<Status>(700));
}

TEST_F(DeviceClockTest, InAForkedProcessNothingIsKept) {
  boundary(Phase::kForward);
  device_.works(1);
  boundary(Phase::kBackward);
  clock_->forget();
  device_.host_waits();
  const auto made = fake_driver.made;
  for (int i = 0; i < 3; ++i) boundary(Phase::kOptimizer);
  EXPECT_THAT(times, ElementsAre(Time{Phase::kOptimizer, 0, 0, 0}));
  EXPECT_EQ(fake_driver.made, made + 2);
}

// The interpreter's lock is what keeps threads apart in a program.
TEST_F(DeviceClockTest, ThreadsTakeTurns) {
  std::mutex interpreter;
  std::vector<std::thread> threads;
  for (int thread = 0; thread < 4; ++thread) {
    threads.emplace_back([&] {
      for (int i = 0; i < 300; ++i) {
        const std::lock_guard guard(interpreter);
        EXPECT_EQ(boundary(Phase::kForward), Status::kSuccess);
        device_.works(1);
        device_.host_waits();
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_GT(times.size(), 1190U);
  for (const Time& time : times) EXPECT_EQ(time.ns, 1'000'000);
}

}  // namespace
}  // namespace flatout::inject::device_clock
