#include "store/log_follower.h"

#include <gtest/gtest.h>

#include <fstream>

#include "base/file.h"
#include "store/frame_log.h"
#include "store/run_writer_fixture.h"

namespace flatout::store {
namespace {

class LogFollowerTest : public RunWriterTest {
 protected:
  LogFollower follow(const RunWriter& writer, std::uint64_t tail = LogFollower::kTailBytes) {
    auto follower = LogFollower::open(home.folder(writer.id()), tail);
    EXPECT_TRUE(follower) << follower.error().message;
    return std::move(*follower);
  }
  static run::Timeline more(LogFollower& follower) {
    auto found = follower.read_new(here());
    EXPECT_TRUE(found) << found.error().message;
    return found.value_or(run::Timeline{});
  }
  static std::size_t events(const run::Timeline& timeline) {
    std::size_t count = 0;
    for (const auto& [pid, track] : timeline.processes) count += track.phases.size();
    return count;
  }
};

TEST_F(LogFollowerTest, GivesEachRecordOnce) {
  const auto writer = open();
  tick(*writer, 0);
  LogFollower follower = follow(*writer);
  EXPECT_EQ(events(more(follower)), 8U);
  EXPECT_EQ(events(more(follower)), 0U);
  for (int i = 1; i < 40; ++i) {
    tick(*writer, i);
    if (i % 3 == 0) tick(*writer, 100 + i);
    EXPECT_EQ(events(more(follower)), i % 3 == 0 ? 16U : 8U) << i;
  }
  EXPECT_TRUE(follower.whole());
}

TEST_F(LogFollowerTest, SumsToWhatTheWholeLogHolds) {
  const auto writer = open();
  LogFollower follower = follow(*writer);
  std::size_t count = 0;
  for (int i = 0; i < 200; ++i) {
    tick(*writer, i);
    if (i % 7 == 0) count += events(more(follower));
  }
  count += events(more(follower));
  EXPECT_EQ(count, events(stored(*writer)));
}

TEST_F(LogFollowerTest, KnowsTheRunAndItsEnd) {
  const auto writer = open();
  LogFollower follower = follow(*writer);
  const run::Timeline first = more(follower);
  EXPECT_EQ(first.info.id, writer->id());
  EXPECT_FALSE(first.end);
  EXPECT_TRUE(writer->end({.t_ns = 9'000'000'000, .exit_code = 3, .survivors = {}}));
  const run::Timeline last = more(follower);
  EXPECT_EQ(last.state, run::RunState::kFailed);
  EXPECT_EQ(last.info.id, writer->id());
  EXPECT_EQ(more(follower).info.id, writer->id());
}

TEST_F(LogFollowerTest, AFrameThatIsHalfWrittenComesWhole) {
  const auto writer = open();
  for (int i = 0; i < 3; ++i) tick(*writer, i);
  const auto whole = base::read_file(home.log(writer->id()), 1U << 20);
  ASSERT_TRUE(whole);
  const std::filesystem::path folder = scratch.path() / "copy";
  std::filesystem::create_directory(folder);
  const auto write = [&](std::size_t bytes) {
    std::ofstream(folder / kLogFileName, std::ios::binary) << whole->substr(0, bytes);
  };
  // Grown byte by byte, all that was there comes once, and nothing is called damage.
  write(kFileHeaderBytes);
  auto follower = LogFollower::open(folder);
  ASSERT_TRUE(follower);
  std::size_t count = 0;
  for (std::size_t bytes = kFileHeaderBytes; bytes <= whole->size(); bytes += 5) {
    write(bytes);
    const run::Timeline found = more(*follower);
    EXPECT_TRUE(found.notes.empty());
    count += events(found);
  }
  write(whole->size());
  count += events(more(*follower));
  EXPECT_EQ(count, 24U);
}

TEST_F(LogFollowerTest, LeavesOutEventsBeforeTheTail) {
  const auto writer = open();
  for (int i = 0; i < 100; ++i) tick(*writer, i);
  LogFollower follower = follow(*writer, 2000);
  const run::Timeline found = more(follower);
  EXPECT_EQ(found.info.id, writer->id());
  EXPECT_GT(events(found), 0U);
  EXPECT_LT(events(found), 800U);
  EXPECT_FALSE(follower.whole());
}

TEST_F(LogFollowerTest, WithoutALogThereIsNothingToFollow) {
  EXPECT_FALSE(LogFollower::open(home.folder("abcd")));
}

}  // namespace
}  // namespace flatout::store
