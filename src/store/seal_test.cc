#include "store/seal.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <fstream>

#include "base/process.h"
#include "store/faulty_disk.h"
#include "store/run_list.h"
#include "store/run_writer.h"
#include "store/same_timeline_fixture.h"
#include "store/seal_fixture.h"

namespace flatout::store {
namespace {

namespace fs = std::filesystem;
using base::ErrorCode;
using testing::HasSubstr;

TEST_F(SealTest, GivesBackTheSameRunAndTheLogGoes) {
  for (const bool end : {true, false}) {
    const auto id = record(5000, end);
    const auto log = fs::file_size(home.log(id));
    const auto before = read(id);
    const auto summary = read_summary(home.folder(id), from);
    ASSERT_EQ(seal_run(home, id, from).value(), SealResult::kSealed);
    EXPECT_THAT(files(id), testing::ElementsAre("run.sqlite"));
    EXPECT_LT(fs::file_size(sealed(id)), log / 2);
    expect_same_timeline(before, read(id));
    const auto after = read_summary(home.folder(id), from);
    ASSERT_TRUE(summary && after);
    EXPECT_EQ(encode_info(summary->info), encode_info(after->info));
    EXPECT_EQ(summary->state, after->state);
    EXPECT_EQ(summary->log_changed_ns, after->log_changed_ns);
    EXPECT_TRUE(after->sealed);
    EXPECT_EQ(seal_run(home, id, from).value(), SealResult::kAlready);
  }
}

TEST_F(SealTest, ASmallRunIsNotLargerThanItsLog) {
  const auto id = record(20);
  const auto log = fs::file_size(home.log(id));
  ASSERT_EQ(seal_run(home, id, from).value(), SealResult::kSealed);
  EXPECT_LT(fs::file_size(sealed(id)), log + 16'384);
}

TEST_F(SealTest, WhatDamageLeftIsSealedWithItsNote) {
  const auto id = record(100);
  {
    std::fstream file(home.log(id), std::ios::in | std::ios::out | std::ios::binary);
    file.seekp(static_cast<std::streamoff>(fs::file_size(home.log(id)) / 2));
    file << "damage";
  }
  const auto before = read(id);
  ASSERT_FALSE(before.notes.empty());
  ASSERT_EQ(seal_run(home, id, from).value(), SealResult::kSealed);
  expect_same_timeline(before, read(id));
}

TEST_F(SealTest, AFrameOfALaterFlatoutIsKept) {
  const auto id = record(3);
  {
    FrameEncoder encoder;
    std::string frames;
    const auto end = fs::file_size(home.log(id));
    ASSERT_TRUE(encoder.append(frames, end, static_cast<FrameType>(99), "whatever it is"));
    std::ofstream(home.log(id), std::ios::app | std::ios::binary) << frames;
  }
  const auto before = read(id);
  ASSERT_EQ(seal_run(home, id, from).value(), SealResult::kSealed);
  expect_same_timeline(before, read(id));
  EXPECT_THAT(read(id).notes, testing::Contains(HasSubstr("does not know")));
}

TEST_F(SealTest, OnlyWhatIsOverIsSealed) {
  const auto id = record(3, false);
  const auto folder = home.folder(id);
  auto other = from;
  other.host = "laptop";  // it is another machine's lost run, then
  EXPECT_EQ(seal_run(home, id, other).value(), SealResult::kNotYet);
  other.wall_ns += 25LL * 3600 * base::kSecond;
  auto recovering = RunWriter::reopen_lost(home, id, clock);
  EXPECT_EQ(seal_run(home, id, other).value(), SealResult::kNotYet);
  recovering->reset();
  EXPECT_EQ(seal_run(home, id, other).value(), SealResult::kSealed);

  EXPECT_EQ(seal_run(home, "nope", from).error().code, ErrorCode::kNotFound);
}

TEST_F(SealTest, ARunWhoseRingsAreStillThereIsRecoveredFirst) {
  auto writer = RunWriter::open(home, clock);
  auto info = sample_info(writer->id());
  info.host = from.host;
  info.boot_id = base::boot_id();
  info.ring_dir = (scratch.path() / "rings").string();
  const std::string id = writer->id();
  ASSERT_TRUE(writer->begin(info));
  writer.reset();
  fs::create_directories(info.ring_dir);
  EXPECT_EQ(seal_run(home, id, from).value(), SealResult::kNotYet);
  fs::remove(info.ring_dir);
  EXPECT_EQ(seal_run(home, id, from).value(), SealResult::kSealed);
}

TEST_F(SealTest, TheSweepSealsWithinItsBudget) {
  for (int i = 0; i < 3; ++i) (void)record(3);
  EXPECT_EQ(seal_ended(home, from, clock, 0).left, 3U);
  const auto sweep = seal_ended(home, from, clock, 10 * base::kSecond);
  EXPECT_EQ(sweep.sealed, 3U);
  EXPECT_EQ(sweep.left, 0U);
  EXPECT_THAT(sweep.problems, testing::IsEmpty());
  EXPECT_EQ(seal_ended(home, from, clock, 10 * base::kSecond).sealed, 0U);
}

// ---- faults

TEST_F(SealTest, KilledBeforeAnyStepTheRunIsReadable) {
  const auto id = record(150);
  const auto before = read(id);
  const fs::path copy = scratch.path() / "copy";
  fs::copy(home.folder(id), copy, fs::copy_options::recursive);
  int kills = 0;
  for (int step = 0;; step += 1 + step / 8) {
    fs::remove_all(home.folder(id));
    fs::copy(copy, home.folder(id), fs::copy_options::recursive);
    const pid_t child = ::fork();
    ASSERT_GE(child, 0);
    if (child == 0) {
      FaultyDisk disk;
      disk.faults.kill_at = step;
      ::_exit(seal_run(home, id, from, disk) ? 0 : 1);
    }
    int status = 0;
    ASSERT_EQ(::waitpid(child, &status, 0), child);
    expect_same_timeline(before, read(id));
    ASSERT_TRUE(read_summary(home.folder(id), from));
    ASSERT_TRUE(seal_run(home, id, from)) << step;  // the next command's
    EXPECT_THAT(files(id), testing::ElementsAre("run.sqlite")) << step;
    expect_same_timeline(before, read(id));
    if (WIFEXITED(status)) {
      ASSERT_EQ(WEXITSTATUS(status), 0);
      break;
    }
    ++kills;
  }
  EXPECT_GT(kills, 10);
}

// The last steps are the ones that matter most: each of them, one by one.
TEST_F(SealTest, KilledBetweenSyncRenameAndRemoval) {
  const auto id = record(3);
  FaultyDisk counting;
  const fs::path copy = scratch.path() / "copy";
  fs::copy(home.folder(id), copy, fs::copy_options::recursive);
  ASSERT_TRUE(seal_run(home, id, from, counting));
  for (int step = counting.faults.steps - 8; step < counting.faults.steps; ++step) {
    fs::remove_all(home.folder(id));
    fs::copy(copy, home.folder(id), fs::copy_options::recursive);
    const auto before = read(id);
    const pid_t child = ::fork();
    if (child == 0) {
      FaultyDisk disk;
      disk.faults.kill_at = step;
      (void)seal_run(home, id, from, disk);
      ::_exit(0);
    }
    int status = 0;
    ASSERT_EQ(::waitpid(child, &status, 0), child);
    ASSERT_TRUE(WIFSIGNALED(status)) << step;
    expect_same_timeline(before, read(id));
    ASSERT_TRUE(seal_run(home, id, from)) << step;
    expect_same_timeline(before, read(id));
    EXPECT_THAT(files(id), testing::ElementsAre("run.sqlite")) << step;
  }
}

TEST_F(SealTest, AFullDiskLeavesTheLogAlone) {
  const auto id = record(150);
  const auto before = read(id);
  for (const std::uint64_t room : {0U, 1U, 1000U, 5000U, 20'000U}) {
    FaultyDisk disk;
    disk.faults.room_bytes = room;
    const auto done = seal_run(home, id, from, disk);
    ASSERT_FALSE(done) << room;
    EXPECT_EQ(done.error().code, ErrorCode::kIo) << done.error().message;
    EXPECT_THAT(files(id), testing::ElementsAre("log.flo")) << room;
  }
  for (const auto& fault : {&Faults::read_only, &Faults::sync_fails}) {
    FaultyDisk disk;
    disk.faults.*fault = true;
    EXPECT_FALSE(seal_run(home, id, from, disk));
    EXPECT_THAT(files(id), testing::ElementsAre("log.flo"));
  }
  FaultyDisk slow;
  slow.faults.longest_write = 700;
  EXPECT_EQ(seal_run(home, id, from, slow).value(), SealResult::kSealed);
  expect_same_timeline(before, read(id));
}

TEST_F(SealTest, ABitThatTheDiskFlipsIsFoundBeforeTheLogGoes) {
  FaultyDisk counting;
  const auto first = record(40);
  ASSERT_TRUE(seal_run(home, first, from, counting));
  int refused = 0;
  for (int write = 0; write < counting.faults.writes; ++write) {
    const auto id = record(40);
    FaultyDisk disk;
    disk.faults.flip_at_write = write;
    const auto before = read(id);
    const auto done = seal_run(home, id, from, disk);
    refused += done ? 0 : 1;
    expect_same_timeline(before, read(id));
    fs::remove_all(home.folder(id));
  }
  EXPECT_GT(refused, counting.faults.writes / 4);  // the others hit what means nothing
}

TEST_F(SealTest, ALinkIsNotFollowed) {
  const auto id = record(3);
  ASSERT_TRUE(seal_run(home, id, from));
  const auto elsewhere = scratch.path() / "elsewhere.sqlite";
  fs::rename(sealed(id), elsewhere);
  fs::create_symlink(elsewhere, sealed(id));
  EXPECT_FALSE(read_run(home.folder(id), from));
}

}  // namespace
}  // namespace flatout::store
