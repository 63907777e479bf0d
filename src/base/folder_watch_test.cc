#include "base/folder_watch.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <array>
#include <fstream>

namespace flatout::base {
namespace {

constexpr DurationNs kPatience = 10 * kSecond;
using Woken = FolderWatch::Woken;

class FolderWatchTest : public ::testing::Test {
 protected:
  void SetUp() override {
    folder_ = std::filesystem::path(::testing::TempDir()) /
              ::testing::UnitTest::GetInstance()->current_test_info()->name();
    std::filesystem::remove_all(folder_);
    std::filesystem::create_directories(folder_);
  }
  void TearDown() override { std::filesystem::remove_all(folder_); }
  void append(const char* name) const { std::ofstream(folder_ / name, std::ios::app) << "x\n"; }
  std::filesystem::path folder_;
};

TEST_F(FolderWatchTest, SeesWhatCameBeforeItWaits) {
  FolderWatch watch;
  ASSERT_TRUE(watch.add(folder_, FolderChange::kContents));
  EXPECT_EQ(watch.wait(0, -1), Woken::kTime);
  append("a");
  EXPECT_EQ(watch.wait(kPatience, -1), Woken::kChange);
  EXPECT_EQ(watch.wait(0, -1), Woken::kTime) << "each change once";
  append("a");
  EXPECT_EQ(watch.wait(kPatience, -1), Woken::kChange);
}

TEST_F(FolderWatchTest, OfEntriesAloneContentsDoNotWakeIt) {
  append("a");
  FolderWatch watch;
  ASSERT_TRUE(watch.add(folder_, FolderChange::kEntries));
  append("a");
  EXPECT_EQ(watch.wait(0, -1), Woken::kTime);
  std::filesystem::rename(folder_ / "a", folder_ / "b");
  EXPECT_EQ(watch.wait(kPatience, -1), Woken::kChange);
}

TEST_F(FolderWatchTest, WhatIsNotThereIsNotWatched) {
  FolderWatch watch;
  EXPECT_FALSE(watch.add(folder_ / "none", FolderChange::kEntries));
  append("file");
  EXPECT_FALSE(watch.add(folder_ / "file", FolderChange::kEntries));
  EXPECT_EQ(watch.wait(0, -1), Woken::kTime);
}

TEST_F(FolderWatchTest, AReaderThatGoesAwayWakesIt) {
  FolderWatch watch;
  std::array<int, 2> ends{};
  ASSERT_EQ(::pipe(ends.data()), 0);
  const UniqueFd write_end(ends[1]);
  EXPECT_EQ(watch.wait(0, write_end.get()), Woken::kTime);
  ::close(ends[0]);
  EXPECT_EQ(watch.wait(kPatience, write_end.get()), Woken::kReaderGone);
}

}  // namespace
}  // namespace flatout::base
