#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/resource.h>
#include <sys/stat.h>

#include <csignal>
#include <fstream>

#include "base/file.h"
#include "store/run_writer_fixture.h"

namespace flatout::store {
namespace {

namespace fs = std::filesystem;
using base::ErrorCode;
using run::RunState;
using testing::HasSubstr;

TEST_F(RunWriterTest, EveryNounComesBack) {
  auto writer = open();
  run::Proc proc{
      .pid = 7, .start_ticks = 5, .seen_ns = 6, .role = run::ProcRole::kOther, .command = "python"};
  ASSERT_TRUE(writer->proc(proc));
  proc.role = run::ProcRole::kMain;
  ASSERT_TRUE(writer->proc(proc));
  const run::Lane lane{.lane = 0, .tid = 7, .is_main = true};
  ASSERT_TRUE(writer->lane(7, lane));
  ASSERT_TRUE(writer->phases(7, sample_steps(5, 10)));
  ASSERT_TRUE(writer->batches(8, sample_batches(4, 10)));
  ASSERT_TRUE(writer->device_phases(7, sample_device_phases()));
  const run::Fact fact{.t_ns = 9, .key = "loader", .json = "{}"};
  ASSERT_TRUE(writer->fact(7, fact));
  ASSERT_TRUE(writer->values(7, sample_values()));
  ASSERT_TRUE(writer->samples(sample_tick(0, 1)));
  ASSERT_TRUE(writer->counts({.events = 1, .dropped = 0}));
  ASSERT_TRUE(writer->counts({.events = 40, .dropped = 2}));
  ASSERT_TRUE(writer->end({.t_ns = 99'000'000'000, .exit_code = 3, .signal = 0, .survivors = {8}}));
  EXPECT_TRUE(writer->stored());

  for (const auto& timeline : {stored(*writer), writer->timeline()}) {
    EXPECT_EQ(timeline.info.id, writer->id());
    EXPECT_EQ(timeline.state, RunState::kFailed);
    EXPECT_EQ(timeline.last_ns, 99'000'000'000);
    EXPECT_THAT(timeline.notes, testing::IsEmpty());
    ASSERT_TRUE(timeline.processes.contains(7));
    const auto& track = timeline.processes.at(7);
    EXPECT_EQ(track.proc.role, run::ProcRole::kMain);
    EXPECT_THAT(track.lanes, testing::ElementsAre(lane));
    EXPECT_EQ(track.phases, sample_steps(5, 10));
    EXPECT_THAT(track.facts, testing::ElementsAre(fact));
    EXPECT_EQ(track.device_phases.size(), 3U);
    EXPECT_EQ(track.values.size(), 4U);
    EXPECT_EQ(track.values.at(2).value().step, 1LL << 60) << "in order of time";
    EXPECT_EQ(track.device_phases.at(0).value().t_ns, 5'000'000'000);
    EXPECT_EQ(timeline.processes.at(8).batches, sample_batches(4, 10));
    EXPECT_EQ(timeline.series.size(), sample_tick(0, 1).size());
    EXPECT_EQ(timeline.counts.events, 40U);
    EXPECT_EQ(timeline.counts.dropped, 2U);
  }
}

TEST_F(RunWriterTest, FoldersArePrivate) {
  const auto writer = open();
  for (const auto& path : {home.root(), home.runs(), *writer->folder()}) {
    EXPECT_EQ(fs::status(path).permissions(), fs::perms::owner_all) << path;
  }
  EXPECT_EQ(fs::status(home.log(writer->id())).permissions(),
            fs::perms::owner_read | fs::perms::owner_write);
}

TEST_F(RunWriterTest, OneWriteATickAndOneSyncASecond) {
  auto writer = open();
  const int writes = disk.faults.writes;
  for (int i = 0; i < 30; ++i) {
    clock.advance(base::kSecond / 10);
    tick(*writer, i);
    EXPECT_EQ(disk.faults.writes, writes + i + 1);
  }
  EXPECT_EQ(disk.faults.syncs, 3);
}

TEST_F(RunWriterTest, WhatAFlushWroteIsReadWhileTheRunGoesOn) {
  auto writer = open();
  for (int i = 0; i < 20; ++i) {
    tick(*writer, i);
    const auto timeline = stored(*writer);
    EXPECT_EQ(timeline.processes.at(7).phases.size(), 8U * static_cast<std::size_t>(i + 1));
    EXPECT_THAT(timeline.notes, testing::IsEmpty());
  }
}

TEST_F(RunWriterTest, WhatIsFoundOutAfterTheEndIsAFactOfTheRun) {
  auto writer = RunWriter::open(home, clock, disk);
  ASSERT_TRUE(writer->begin(sample_info(writer->id())));
  ASSERT_TRUE(writer->end({.t_ns = 99'000'000'000, .exit_code = 3, .survivors = {}}));
  const run::Fact fact{.t_ns = 99'000'000'000, .key = "engine_speed", .json = "{}"};
  ASSERT_TRUE(writer->fact(7, fact));
  ASSERT_TRUE(writer->flush());
  EXPECT_TRUE(writer->stored());
  EXPECT_EQ(writer->samples(sample_tick(0, 1)).error().code, ErrorCode::kInvalid) << "facts alone";
  for (const auto& timeline : {stored(*writer), writer->timeline()}) {
    EXPECT_EQ(timeline.state, RunState::kFailed);
    EXPECT_EQ(timeline.last_ns, 99'000'000'000);
    EXPECT_THAT(timeline.processes.at(7).facts, testing::ElementsAre(fact));
  }
}

TEST_F(RunWriterTest, CallsOutOfOrderAreRefused) {
  auto writer = RunWriter::open(home, clock, disk);
  EXPECT_EQ(writer->lane(1, {}).error().code, ErrorCode::kInvalid);
  EXPECT_EQ(writer->end({}).error().code, ErrorCode::kInvalid);
  EXPECT_EQ(writer->begin(sample_info("other")).error().code, ErrorCode::kInvalid);
  EXPECT_TRUE(writer->begin(sample_info(writer->id())));
  EXPECT_EQ(writer->begin(sample_info(writer->id())).error().code, ErrorCode::kInvalid);
  EXPECT_TRUE(writer->end({}));
  EXPECT_EQ(writer->end({}).error().code, ErrorCode::kInvalid);
  EXPECT_EQ(writer->counts({}).error().code, ErrorCode::kInvalid);
}

TEST_F(RunWriterTest, LongSpansBecomeSeveralFrames) {
  auto writer = open();
  const auto events = sample_steps(10'000, 1);
  ASSERT_GT(events.size(), 2 * kMaxItems);
  ASSERT_TRUE(writer->phases(7, events));
  std::vector<run::Batch> large(2, sample_batches(1, 5)[0]);
  for (auto& batch : large) batch.stages.assign(400'000, {"decode", 1, 1'000'000});
  ASSERT_TRUE(writer->batches(7, large));
  ASSERT_TRUE(writer->end({}));
  const auto timeline = stored(*writer);
  EXPECT_EQ(timeline.processes.at(7).phases, events);
  EXPECT_EQ(timeline.processes.at(7).batches, large);
}

TEST_F(RunWriterTest, AFullDiskLosesNothingAndIsToldOnce) {
  auto writer = open();
  tick(*writer, 0);
  disk.faults.room_bytes = 100;
  for (int i = 1; i < 10; ++i) {
    clock.advance(2 * base::kSecond);
    tick(*writer, i);
    EXPECT_EQ(writer->timeline().processes.at(7).phases.size(),
              8U * static_cast<std::size_t>(i + 1));
    EXPECT_THAT(stored(*writer).notes, testing::IsEmpty()) << "a hole or a torn frame";
  }
  EXPECT_FALSE(writer->stored());
  EXPECT_THAT(writer->take_problem().value_or(""),
              testing::AllOf(HasSubstr("No space left"), HasSubstr("kept in memory")));
  EXPECT_EQ(writer->take_problem(), std::nullopt);

  disk.faults.room_bytes = 1U << 30;
  clock.advance(2 * base::kSecond);
  tick(*writer, 10);
  EXPECT_TRUE(writer->stored());
  EXPECT_EQ(stored(*writer).processes.at(7).phases.size(), 88U);
}

// At whatever byte the disk fills up, and whether or not the torn bytes can be
// cut off, the log stays readable and is completed once there is room.
TEST_F(RunWriterTest, AnyMomentAtWhichTheDiskFillsUp) {
  for (const bool truncate_fails : {false, true}) {
    for (std::uint64_t room = 0; room < 700; room += 7) {
      disk.faults = {.room_bytes = room, .longest_write = 50, .truncate_fails = truncate_fails};
      auto writer = open();
      for (int i = 0; i < 3; ++i) tick(*writer, i);
      EXPECT_EQ(writer->timeline().processes.at(7).phases.size(), 24U);
      disk.faults.room_bytes = 1U << 30;
      ASSERT_TRUE(writer->end({}));
      const auto timeline = stored(*writer);
      EXPECT_EQ(timeline.processes.at(7).phases.size(), 24U) << room;
      EXPECT_EQ(timeline.state, RunState::kFinished);
      EXPECT_THAT(timeline.notes, testing::IsEmpty());
    }
  }
}

TEST_F(RunWriterTest, ATornWriteIsCutOffAtAWholeFrame) {
  auto writer = open();
  disk.faults.room_bytes = 200;
  tick(*writer, 0);
  tick(*writer, 1);
  clock.advance(2 * base::kSecond);
  tick(*writer, 2);
  std::ifstream file(home.log(writer->id()), std::ios::binary);
  const std::string bytes((std::istreambuf_iterator<char>(file)), {});
  EXPECT_EQ(whole_frames(bytes, bytes.size(), true), bytes.size());
}

TEST_F(RunWriterTest, ARefusingDiskIsAskedOnceASecondOnly) {
  disk.faults.read_only = true;
  auto writer = open();
  disk.faults.read_only = false;
  tick(*writer, 0);
  EXPECT_FALSE(writer->stored());
  clock.advance(base::kSecond);
  tick(*writer, 1);
  EXPECT_TRUE(writer->stored());
}

TEST_F(RunWriterTest, AReadOnlyHomeKeepsTheRunInMemory) {
  disk.faults.read_only = true;
  auto writer = open();
  EXPECT_TRUE(is_run_id(writer->id()));
  EXPECT_EQ(writer->folder(), std::nullopt);
  tick(*writer, 0);
  ASSERT_TRUE(writer->end({.t_ns = 9, .exit_code = 0, .signal = 15, .survivors = {}}));
  EXPECT_FALSE(writer->stored());
  const auto timeline = writer->timeline();
  EXPECT_EQ(timeline.state, RunState::kKilled);
  EXPECT_EQ(timeline.processes.at(7).phases.size(), 8U);
  EXPECT_THAT(writer->take_problem().value_or(""), HasSubstr("Read-only file system"));
  EXPECT_FALSE(fs::exists(home.root()));
}

TEST_F(RunWriterTest, AHomeThatComesBackGetsTheWholeRun) {
  disk.faults.read_only = true;
  auto writer = open();
  tick(*writer, 0);
  disk.faults.read_only = false;
  ASSERT_TRUE(writer->end({}));
  EXPECT_TRUE(writer->stored());
  EXPECT_EQ(stored(*writer).processes.at(7).phases.size(), 8U);
}

TEST_F(RunWriterTest, WithoutAHomeThereIsMemory) {
  auto writer = RunWriter::in_memory("HOME is not set", clock);
  ASSERT_TRUE(writer->begin(sample_info(writer->id())));
  tick(*writer, 0);
  ASSERT_TRUE(writer->end({}));
  EXPECT_EQ(writer->take_problem(), "HOME is not set");
  EXPECT_EQ(writer->timeline().processes.at(7).phases.size(), 8U);
  EXPECT_EQ(writer->timeline().state, RunState::kFinished);
}

TEST_F(RunWriterTest, WhatMemoryCannotHoldIsCountedAndTheEndIsKept) {
  disk.faults.room_bytes = 0;
  auto writer = open({.memory_limit_bytes = 1500});
  int refused = 0;
  for (int i = 0; i < 50; ++i) {
    const auto kept = writer->phases(7, sample_steps(1, i * 20'000'000LL));
    if (kept) continue;
    ++refused;
    EXPECT_EQ(kept.error().code, ErrorCode::kTooLarge);
  }
  ASSERT_GT(refused, 0);
  ASSERT_LT(refused, 50);
  EXPECT_EQ(writer->dropped().records, 8U * static_cast<std::size_t>(refused));
  EXPECT_THAT(writer->timeline().notes, testing::ElementsAre(HasSubstr("records (")));
  disk.faults.room_bytes = 1U << 20;
  ASSERT_TRUE(writer->end({}));
  const auto timeline = stored(*writer);
  EXPECT_EQ(timeline.state, RunState::kFinished);
  EXPECT_EQ(timeline.processes.at(7).phases.size(), 8U * static_cast<std::size_t>(50 - refused));
  EXPECT_THAT(timeline.notes,
              testing::ElementsAre(HasSubstr(std::to_string(8 * refused) + " records (")));
}

TEST_F(RunWriterTest, ASyncThatFailsIsToldOnce) {
  disk.faults.sync_fails = true;
  auto writer = open();
  ASSERT_TRUE(writer->end({}));
  EXPECT_TRUE(writer->stored());
  EXPECT_THAT(writer->take_problem().value_or(""), HasSubstr("cannot sync"));
}

// The real thing: the kernel refuses beyond the file size limit.
TEST_F(RunWriterTest, TheKernelsFileSizeLimitIsSurvived) {
  rlimit before{};
  ASSERT_EQ(::getrlimit(RLIMIT_FSIZE, &before), 0);
  auto* handler = std::signal(SIGXFSZ, SIG_IGN);
  auto writer = RunWriter::open(home, clock, system_disk());
  ASSERT_TRUE(writer->begin(sample_info(writer->id())));
  const rlimit tight{log_bytes(*writer) + 150, before.rlim_max};
  ASSERT_EQ(::setrlimit(RLIMIT_FSIZE, &tight), 0);
  for (int i = 0; i < 3; ++i) tick(*writer, i);
  ASSERT_EQ(::setrlimit(RLIMIT_FSIZE, &before), 0);
  std::signal(SIGXFSZ, handler);
  EXPECT_FALSE(writer->stored());
  EXPECT_THAT(writer->take_problem().value_or(""), HasSubstr("File too large"));
  EXPECT_THAT(stored(*writer).notes, testing::IsEmpty());
  ASSERT_TRUE(writer->end({}));
  EXPECT_EQ(stored(*writer).processes.at(7).phases.size(), 24U);
}

}  // namespace
}  // namespace flatout::store
