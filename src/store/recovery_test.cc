#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>

#include "store/run_writer_fixture.h"

namespace flatout::store {
namespace {

namespace fs = std::filesystem;
using base::ErrorCode;
using run::RunState;
using testing::HasSubstr;

class RecoveryTest : public RunWriterTest {
 protected:
  // A run whose writer is gone without an end.
  std::string lost_run() {
    auto writer = open();
    tick(*writer, 0);
    return writer->id();
  }
  void damage(const std::string& id, const std::string& tail) {
    std::ofstream(home.log(id), std::ios::binary | std::ios::app) << tail;
  }
};

TEST_F(RecoveryTest, RecoveredRecordsAreAppendedAndTheRunStaysLost) {
  const auto id = lost_run();
  {
    auto writer = RunWriter::reopen_lost(home, id, clock, disk);
    ASSERT_TRUE(writer) << writer.error().message;
    EXPECT_EQ((*writer)->begin(sample_info(id)).error().code, ErrorCode::kInvalid);
    EXPECT_EQ((*writer)->end({}).error().code, ErrorCode::kInvalid);
    tick(**writer, 1);
    EXPECT_EQ((*writer)->timeline().state, RunState::kLost);
  }
  const auto timeline = read_run(home.folder(id), here());
  ASSERT_TRUE(timeline);
  EXPECT_EQ(timeline->state, RunState::kLost);
  EXPECT_EQ(timeline->processes.at(7).phases.size(), 16U);
  EXPECT_THAT(timeline->notes, testing::ElementsAre(HasSubstr("recovered")));
}

TEST_F(RecoveryTest, OnlyOneFlatoutRecovers) {
  const auto id = lost_run();
  const auto first = RunWriter::reopen_lost(home, id, clock, disk);
  ASSERT_TRUE(first);
  const auto second = RunWriter::reopen_lost(home, id, clock, disk);
  ASSERT_FALSE(second);
  EXPECT_EQ(second.error().code, ErrorCode::kExists);
}

TEST_F(RecoveryTest, ALiveRecorderKeepsTheLock) {
  const auto writer = open();
  const auto other = RunWriter::reopen_lost(home, writer->id(), clock, disk);
  ASSERT_FALSE(other);
  EXPECT_EQ(other.error().code, ErrorCode::kExists);
}

TEST_F(RecoveryTest, ATornFrameIsCutOffButDamageIsKept) {
  auto id = lost_run();
  const auto whole = fs::file_size(home.log(id));
  damage(id, std::string(11, '\x55'));
  {
    ASSERT_TRUE(RunWriter::reopen_lost(home, id, clock, disk));
    EXPECT_EQ(fs::file_size(home.log(id)), whole);
  }
  damage(id, std::string(99, '\x55'));
  auto writer = RunWriter::reopen_lost(home, id, clock, disk);
  ASSERT_TRUE(writer);
  tick(**writer, 1);
  const auto timeline = read_run(home.folder(id), here());
  EXPECT_EQ(timeline->processes.at(7).phases.size(), 16U);
  EXPECT_THAT(timeline->notes, testing::Contains(HasSubstr("99 bytes")));
}

// Rings are freed after a flush that succeeded, so it must not lie.
TEST_F(RecoveryTest, AFlushThatDidNotReachTheDiskFails) {
  const auto id = lost_run();
  auto writer = RunWriter::reopen_lost(home, id, clock, disk);
  ASSERT_TRUE(writer);
  disk.faults.room_bytes = 0;
  ASSERT_TRUE((*writer)->phases(7, sample_steps(1, 5)));
  const auto flushed = (*writer)->flush();
  ASSERT_FALSE(flushed);
  EXPECT_EQ(flushed.error().code, ErrorCode::kIo);
}

TEST_F(RecoveryTest, ARunThatEndedIsNotRecovered) {
  auto writer = open();
  const auto id = writer->id();
  ASSERT_TRUE(writer->end({}));
  writer.reset();
  EXPECT_EQ(RunWriter::reopen_lost(home, id, clock, disk).error().code, ErrorCode::kInvalid);
  EXPECT_EQ(RunWriter::reopen_lost(home, "../../etc", clock, disk).error().code,
            ErrorCode::kInvalid);
}

}  // namespace
}  // namespace flatout::store
