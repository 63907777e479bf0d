#include "inject/device_clock/pace.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <vector>

#include "inject/device_clock/fake/made_up_device_for_test.h"

namespace flatout::inject::device_clock {
namespace {

class PaceTest : public ::testing::Test {
 protected:
  // Host times of the steps, each of which the host launches in `host_ms`.
  std::vector<double> steps(int count, double host_ms, double device_ms) {
    std::vector<double> times;
    for (int i = 0; i < count; ++i) {
      const double begin = fake_driver.host_ms;
      fake_driver.host_ms += host_ms;
      device_.works(device_ms);
      const Place place = {fake_driver.device, nullptr};
      Event event = nullptr;
      EXPECT_EQ(pace_.to_wait_for(device_.driver(), place, &event), Status::kSuccess);
      if (event != nullptr) cuEventSynchronize(event);
      EXPECT_EQ(pace_.mark(device_.driver(), place), Status::kSuccess);
      times.push_back(fake_driver.host_ms - begin);
    }
    return times;
  }

  MadeUpDevice device_;
  Pace pace_;
};

TEST_F(PaceTest, AStepTakesTheHostAsLongAsTheDevice) {
  const std::vector<double> times = steps(20, 1, 10);
  EXPECT_EQ(std::vector(times.begin(), times.begin() + Pace::kSteps), std::vector(4, 1.0));
  for (std::size_t i = Pace::kSteps + 1; i < times.size(); ++i)
    EXPECT_NEAR(times[i], 10, 1e-9) << i;
  EXPECT_EQ(fake_driver.made, Pace::kSteps);
  EXPECT_NEAR(fake_driver.device_done_ms, 201, 1e-9) << "it never idles";
}

TEST_F(PaceTest, AHostThatIsSlowerThanTheDeviceNeverWaits) {
  steps(20, 10, 1);
  EXPECT_EQ(fake_driver.waited, 0);
}

TEST_F(PaceTest, EachDeviceHasAPaceOfItsOwn) {
  steps(6, 1, 10);
  fake_driver.device = 1;
  const auto waited = fake_driver.waited;
  steps(Pace::kSteps, 1, 10);
  EXPECT_EQ(fake_driver.waited, waited) << "its first steps";
  for (int i = 0; i < 20; ++i) {
    fake_driver.device = i % 2;
    steps(1, 1, 10);
  }
  EXPECT_EQ(fake_driver.made, 2 * Pace::kSteps) << "none is made anew where they alternate";
  EXPECT_GT(fake_driver.waited, waited + 10);
}

TEST_F(PaceTest, WhatFailsIsGivenBack) {
  steps(2, 1, 10);
  fake_driver.fails = 700;
  EXPECT_EQ(pace_.mark(device_.driver(), {0, nullptr}), static_cast<Status>(700));
}

}  // namespace
}  // namespace flatout::inject::device_clock
