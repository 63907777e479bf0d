#include "inject/device_clock/copy_clock.h"

#include <gtest/gtest.h>

#include <memory>

#include "inject/device_clock/captures.h"
#include "inject/device_clock/fake/made_up_device_for_test.h"

namespace flatout::inject::device_clock {
namespace {

class CopyClockTest : public ::testing::Test {
 protected:
  Copy begun() {
    Copy copy;
    copy.place.device = fake_driver.device;
    EXPECT_EQ(clock_->begin(device_.driver(), copy.place, &copy), Status::kSuccess);
    return copy;
  }
  std::int64_t ended(Copy copy, bool asks = true) {
    std::int64_t ns = 0;
    EXPECT_EQ(clock_->end(device_.driver(), &copy, asks, &ns), Status::kSuccess);
    return ns;
  }

  MadeUpDevice device_;
  std::unique_ptr<CopyClock> clock_ = std::make_unique<CopyClock>();
};

TEST_F(CopyClockTest, WhatTheDeviceTookWithoutTheWaitBeforeIt) {
  device_.works(30);
  const Copy copy = begun();
  device_.works(2);
  device_.host_waits();
  EXPECT_EQ(ended(copy), 2'000'000);
}

TEST_F(CopyClockTest, TheEventBehindItIsAskedForUntilTheDeviceComesToIt) {
  const Copy copy = begun();
  device_.works(2);
  device_.host_waits();
  fake_driver.event_ms = 0.004;
  fake_driver.question_ms = 0.0015;
  EXPECT_NEAR(static_cast<double>(ended(copy)), 2'004'000, 10);
  EXPECT_EQ(fake_driver.elapsed, 3);
}

TEST_F(CopyClockTest, NothingWaitsForADeviceThatDoesNotCome) {
  const Copy copy = begun();
  device_.works(2);
  device_.host_waits();
  fake_driver.event_ms = 1000;  // another process has it
  EXPECT_EQ(ended(copy), -1);
  EXPECT_EQ(fake_driver.elapsed, CopyClock::kAsks);
}

TEST_F(CopyClockTest, OneThatDidNotKeepTheHostIsNotMadeTo) {
  device_.works(30);
  const Copy copy = begun();
  device_.works(2);
  EXPECT_EQ(ended(copy), -1);
  EXPECT_EQ(fake_driver.recorded, 1);
}

TEST_F(CopyClockTest, NothingIsAskedWhereACaptureHasBegunMeanwhile) {
  const Copy copy = begun();
  fake_driver.capturing = 1;
  EXPECT_EQ(ended(copy, false), -1);
  EXPECT_EQ(fake_driver.forbidden, 0);
}

TEST_F(CopyClockTest, EventsAreUsedAgain) {
  for (int i = 0; i < 100; ++i) {
    EXPECT_EQ(ended(begun()), 0);
    Copy failed = begun();
    clock_->drop(&failed);
  }
  EXPECT_EQ(fake_driver.made, 2);
}

TEST_F(CopyClockTest, WhereEventsAreOutACopyIsNotMeasured) {
  for (int i = 0; i < CopyClock::kEvents; ++i) EXPECT_NE(begun().begin, nullptr);
  const Copy copy = begun();
  EXPECT_EQ(copy.begin, nullptr);
  EXPECT_EQ(ended(copy), -1);
}

TEST_F(CopyClockTest, AnErrorIsHandedOnAndTheEventIsNotLost) {
  fake_driver.fails = 700;
  for (int i = 0; i < 2 * CopyClock::kEvents; ++i) {
    Copy copy;
    copy.place.device = 0;
    EXPECT_EQ(clock_->begin(device_.driver(), copy.place, &copy), static_cast<Status>(700));
    EXPECT_EQ(copy.begin, nullptr);
  }
  EXPECT_EQ(fake_driver.made, 1);
}

TEST(CapturesTest, AreOpenUntilAsManyHaveClosed) {
  Captures captures;
  captures.opens();
  captures.opens();
  EXPECT_FALSE(captures.closes());
  EXPECT_TRUE(captures.any_open());
  EXPECT_TRUE(captures.closes());
  EXPECT_TRUE(captures.closes());  // one whose begin was not seen
  EXPECT_FALSE(captures.any_open());
}

TEST(CapturesTest, OfAnotherLibraryAreSeenOnTheCurrentStream) {
  MadeUpDevice device;
  const Captures captures;
  bool capturing = true;
  EXPECT_EQ(captures.look(device.driver(), nullptr, &capturing), Status::kSuccess);
  EXPECT_FALSE(capturing);
  fake_driver.capturing = fake_driver.current_captures = 1;
  EXPECT_EQ(captures.look(device.driver(), nullptr, &capturing), Status::kSuccess);
  EXPECT_TRUE(capturing);
}

TEST(CapturesTest, TheDefaultStreamBesideOneThatCapturesIsLeftAlone) {
  Driver driver = MadeUpDevice::driver();
  driver.capture_status = [](Stream, int*) { return Status::kCaptureImplicit; };
  bool capturing = false;
  EXPECT_EQ(Captures().look(driver, nullptr, &capturing), Status::kSuccess);
  EXPECT_TRUE(capturing);
}

TEST(CapturesTest, WhatIsLostIsSaidOnce) {
  Captures captures;
  char json[96] = "";
  EXPECT_FALSE(captures.say(json, sizeof json));
  captures.lose_boundary();
  captures.lose_boundary();
  captures.lose_copy();
  EXPECT_TRUE(captures.say(json, sizeof json));
  EXPECT_STREQ(json, R"({"boundaries": 2, "copies": 1})");
  EXPECT_FALSE(captures.say(json, sizeof json));
}

}  // namespace
}  // namespace flatout::inject::device_clock
