#include "store/run_reader.h"

#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>

#include <fstream>

#include "store/home.h"
#include "store/run_writer.h"
#include "store/seal.h"
#include "store/store_fixture.h"

namespace flatout::store {
namespace {

namespace fs = std::filesystem;
using base::ErrorCode;
using run::RunState;
using testing::HasSubstr;

// A made-up procfs in which the test decides who lives.
class RunReaderTest : public testing::Test {
 protected:
  void SetUp() override {
    write(proc / "sys/kernel/random/boot_id", "b00t\n");
    from = {.proc = proc, .host = "node7", .wall_ns = base::SystemClock().wall()};
  }
  static void write(const fs::path& path, const std::string& text) {
    fs::create_directories(path.parent_path());
    std::ofstream(path) << text;
  }
  void live(pid_t pid, std::uint64_t start_ticks) {
    std::string fields;
    for (int i = 0; i < 17; ++i) fields += " 0";
    write(proc / std::to_string(pid) / "stat",
          std::to_string(pid) + " (a) S 1" + fields + " " + std::to_string(start_ticks) + " 0\n");
  }
  // Records a run whose recorder is (50, 1000), with processes 60 and 61.
  std::string record(std::optional<run::RunEnd> end) {
    auto writer = RunWriter::open(home, clock);
    auto info = sample_info(writer->id());
    info.recorder_pid = 50;
    info.recorder_start_ticks = 1000;
    EXPECT_TRUE(writer->begin(info));
    EXPECT_TRUE(writer->proc({.pid = 60, .start_ticks = 2000, .command = ""}));
    EXPECT_TRUE(writer->proc({.pid = 61, .start_ticks = 2001, .command = ""}));
    EXPECT_TRUE(writer->phases(60, sample_steps(4, 6'000'000'000)));
    EXPECT_TRUE(writer->flush());
    if (end) {
      EXPECT_TRUE(writer->end(*end));
    }
    return writer->id();
  }
  // State as both readers see it.
  RunState state(const std::string& id) {
    const auto timeline = read_run(home.folder(id), from);
    const auto summary = read_summary(home.folder(id), from);
    EXPECT_TRUE(timeline && summary);
    EXPECT_EQ(timeline->state, summary->state);
    return timeline->state;
  }

  ScratchFolder scratch;
  fs::path proc = scratch.path() / "proc";
  Home home = Home::at(scratch.path() / "home");
  base::FakeClock clock;
  Viewpoint from;
};

TEST_F(RunReaderTest, TheEndDecidesTheState) {
  EXPECT_EQ(state(record(run::RunEnd{})), RunState::kFinished);
  EXPECT_EQ(state(record(run::RunEnd{.exit_code = 2, .survivors = {}})), RunState::kFailed);
  EXPECT_EQ(state(record(run::RunEnd{.signal = 9, .survivors = {}})), RunState::kKilled);
}

TEST_F(RunReaderTest, WithoutAnEndTheRecorderDecides) {
  const auto id = record(std::nullopt);
  EXPECT_EQ(state(id), RunState::kLost);
  live(50, 1000);
  EXPECT_EQ(state(id), RunState::kRunning);
  live(50, 1001);  // the pid is somebody else's now
  EXPECT_EQ(state(id), RunState::kLost);
  live(50, 1000);
  write(proc / "sys/kernel/random/boot_id", "after a reboot\n");
  EXPECT_EQ(state(id), RunState::kLost);
}

TEST_F(RunReaderTest, ALostRunNamesItsSurvivors) {
  const auto id = record(std::nullopt);
  live(61, 2001);
  live(60, 999);
  EXPECT_THAT(read_run(home.folder(id), from)->survivors, testing::ElementsAre(61));
  live(50, 1000);
  EXPECT_THAT(read_run(home.folder(id), from)->survivors, testing::IsEmpty());
}

TEST_F(RunReaderTest, AProgramThatNobodyLookedAtYetIsASurvivor) {
  auto writer = RunWriter::open(home, clock);
  auto info = sample_info(writer->id());
  info.recorder_pid = 50;
  info.recorder_start_ticks = 1000;
  info.program_pid = 70;
  info.program_start_ticks = 3000;
  ASSERT_TRUE(writer->begin(info));
  live(70, 3000);
  EXPECT_THAT(read_run(home.folder(writer->id()), from)->survivors, testing::ElementsAre(70));
  live(70, 3001);
  EXPECT_THAT(read_run(home.folder(writer->id()), from)->survivors, testing::IsEmpty());
}

TEST_F(RunReaderTest, ARunOfAnotherMachineRunsWhileItsLogGrows) {
  const auto id = record(std::nullopt);
  from.host = "laptop";
  EXPECT_EQ(state(id), RunState::kRunning);
  from.wall_ns += kForeignSilenceNs + base::kSecond;
  EXPECT_EQ(state(id), RunState::kLost);
}

TEST_F(RunReaderTest, ASummaryHasInfoAndEnd) {
  const auto id = record(run::RunEnd{.t_ns = 77, .survivors = {5}});
  const auto summary = read_summary(home.folder(id), from);
  ASSERT_TRUE(summary);
  EXPECT_EQ(summary->info.id, id);
  EXPECT_EQ(summary->info.name, "night");
  ASSERT_TRUE(summary->end);
  EXPECT_EQ(summary->end->t_ns, 77);
  EXPECT_EQ(summary->log_bytes, fs::file_size(home.log(id)));
}

// As a run that was unpacked from an archive may have it.
TEST_F(RunReaderTest, ALogOfTheFutureIsRead) {
  const auto id = record(std::nullopt);
  const timespec year_2350[2] = {{.tv_sec = 12'000'000'000, .tv_nsec = 0},
                                 {.tv_sec = 12'000'000'000, .tv_nsec = 0}};
  ASSERT_EQ(::utimensat(AT_FDCWD, home.log(id).c_str(), year_2350, 0), 0);
  from.host = "another";
  EXPECT_EQ(state(id), RunState::kRunning);
}

TEST_F(RunReaderTest, ASummaryBelievesNoImpossibleTime) {
  const auto id = record(run::RunEnd{.t_ns = INT64_MAX, .survivors = {}});
  EXPECT_EQ(state(id), RunState::kLost);
  ASSERT_EQ(seal_run(home, id, from).value(), SealResult::kSealed);
  EXPECT_EQ(state(id), RunState::kLost);

  auto writer = RunWriter::open(home, clock);
  auto info = sample_info(writer->id());
  info.started_ns = INT64_MIN;
  ASSERT_TRUE(writer->begin(info));
  ASSERT_TRUE(writer->flush());
  EXPECT_EQ(read_summary(home.folder(writer->id()), from)->info.started_ns, 0);
}

TEST_F(RunReaderTest, ATornTailIsNoLossWhileTheRunGoesOn) {
  const auto id = record(std::nullopt);
  std::ofstream(home.log(id), std::ios::app | std::ios::binary) << "half a fra";
  EXPECT_THAT(read_run(home.folder(id), from)->notes, testing::ElementsAre(HasSubstr("cut short")));
  live(50, 1000);
  EXPECT_THAT(read_run(home.folder(id), from)->notes, testing::IsEmpty());
}

TEST_F(RunReaderTest, ALogWithoutItsFirstFrameIsStillRead) {
  const auto id = record(run::RunEnd{});
  {
    std::fstream file(home.log(id), std::ios::in | std::ios::out | std::ios::binary);
    file.seekp(60);
    file << "damage";
  }
  const auto timeline = read_run(home.folder(id), from);
  ASSERT_TRUE(timeline);
  EXPECT_EQ(timeline->info.id, id);
  EXPECT_EQ(timeline->state, RunState::kFinished);
  EXPECT_EQ(timeline->processes.at(60).phases.size(), 32U);
  EXPECT_EQ(timeline->notes.size(), 2U);
  EXPECT_EQ(state(id), RunState::kFinished);
}

TEST_F(RunReaderTest, MoreThanTheLimitIsLeftOutWithANote) {
  const auto id = record(run::RunEnd{});
  const auto timeline = read_run(home.folder(id), from, {.decoded_bytes = 600});
  ASSERT_TRUE(timeline);
  EXPECT_EQ(timeline->info.id, id);
  EXPECT_THAT(timeline->notes, testing::ElementsAre(HasSubstr("only its first")));
}

// A few bytes of a payload are an event of 40, and a frame of nothing but zeros
// is a few bytes of the file.
TEST_F(RunReaderTest, TheLimitIsOneOfMemory) {
  auto writer = RunWriter::open(home, clock);
  ASSERT_TRUE(writer->begin(sample_info(writer->id())));
  const std::vector<run::PhaseEvent> events(10'000, {.t_ns = 6'000'000'000});
  for (int i = 0; i < 50; ++i) ASSERT_TRUE(writer->phases(60, events));
  ASSERT_TRUE(writer->end({.survivors = {}}));
  const std::string id = writer->id();
  writer.reset();
  EXPECT_LT(fs::file_size(home.log(id)), 20'000U);
  constexpr std::uint64_t kLimit = 4U << 20;
  for (int sealed = 0; sealed < 2; ++sealed) {
    const auto timeline = read_run(home.folder(id), from, {.decoded_bytes = kLimit});
    ASSERT_TRUE(timeline);
    EXPECT_THAT(timeline->notes, testing::Contains(HasSubstr("only"))) << sealed;
    EXPECT_LT(timeline->processes.at(60).phases.size() * sizeof(run::PhaseEvent), 2 * kLimit);
    EXPECT_GT(timeline->processes.at(60).phases.size() * sizeof(run::PhaseEvent), kLimit / 2);
    ASSERT_TRUE(seal_run(home, id, from));
  }
}

TEST_F(RunReaderTest, WhatIsNoRunGivesAnError) {
  const auto missing = read_run(home.folder("nope"), from);
  EXPECT_EQ(missing.error().code, ErrorCode::kNotFound);
  EXPECT_THAT(missing.error().message, HasSubstr("flatout ls"));
  write(home.log("abcd"), "");
  EXPECT_EQ(read_run(home.folder("abcd"), from).error().code, ErrorCode::kInvalid);
  EXPECT_EQ(read_summary(home.folder("abcd"), from).error().code, ErrorCode::kInvalid);
  fs::create_directories(home.log("efgh"));
  EXPECT_EQ(read_run(home.folder("efgh"), from).error().code, ErrorCode::kInvalid);
  fs::create_directories(home.folder("ijkl"));
  fs::create_symlink(home.log("abcd"), home.log("ijkl"));
  EXPECT_FALSE(read_run(home.folder("ijkl"), from));
}

TEST_F(RunReaderTest, TruncationAtEveryByteKeepsWhatIsBefore) {
  const auto id = record(run::RunEnd{});
  std::size_t events = 32;
  for (auto cut = fs::file_size(home.log(id)); cut >= kFileHeaderBytes; --cut) {
    fs::resize_file(home.log(id), cut);
    const auto timeline = read_run(home.folder(id), from);
    ASSERT_TRUE(timeline) << cut;
    ASSERT_TRUE(read_summary(home.folder(id), from)) << cut;
    const auto found = timeline->processes.find(60);
    const auto left = found == timeline->processes.end() ? 0 : found->second.phases.size();
    ASSERT_LE(left, events);
    ASSERT_TRUE(left == 0 || left == 32);
    events = left;
  }
  EXPECT_EQ(events, 0U);
}

}  // namespace
}  // namespace flatout::store
