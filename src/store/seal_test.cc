#include "store/seal.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <fstream>
#include <random>

#include "base/process.h"
#include "store/faulty_disk.h"
#include "store/run_list.h"
#include "store/run_writer.h"
#include "store/same_timeline_fixture.h"
#include "store/sealed/sealed_schema.h"
#include "store/sealed/sqlite.h"
#include "store/store_fixture.h"

namespace flatout::store {
namespace {

namespace fs = std::filesystem;
using base::ErrorCode;
using testing::HasSubstr;

class SealTest : public testing::Test {
 protected:
  // A run with every noun, `ticks` long, that has ended or whose recorder is gone.
  std::string record(int ticks, bool end = true) {
    auto writer = RunWriter::open(home, clock);
    auto info = sample_info(writer->id());
    info.host = from.host;
    info.ring_dir = "";
    EXPECT_TRUE(writer->begin(info));
    EXPECT_TRUE(writer->proc({.pid = 7, .start_ticks = 70, .command = "python"}));
    run::Device device;
    device.index = 1;
    device.name = "A100";
    EXPECT_TRUE(writer->device(device));
    EXPECT_TRUE(writer->lane(7, {.lane = 3, .tid = 9, .is_main = true}));
    EXPECT_TRUE(writer->fact(7, {.t_ns = 6, .key = "loader", .json = R"({"workers":2})"}));
    EXPECT_TRUE(writer->batches(8, sample_batches(20, 6'000'000'000)));
    EXPECT_TRUE(writer->device_phases(7, sample_device_phases()));
    const run::NamedValue loss[] = {{.t_ns = 7, .value = 0.5, .step = 1, .name = "loss"},
                                    {.t_ns = 8, .value = NAN, .step = 2, .name = "loss"}};
    EXPECT_TRUE(writer->values(7, loss));
    for (int tick = 0; tick < ticks; ++tick) {
      EXPECT_TRUE(writer->phases(7, sample_steps(2, 6'000'000'000 + tick * 100'000'000LL)));
      // The processes come one by one, so that not all series have all times.
      EXPECT_TRUE(writer->samples(sample_tick(tick, std::min(1 + tick / 50, 5))));
      EXPECT_TRUE(writer->counts({.events = static_cast<std::uint64_t>(tick), .dropped = 3}));
      // The pid of a worker is used again.
      if (tick == 9) {
        EXPECT_TRUE(writer->proc({.pid = 8, .start_ticks = 71, .command = "b"}));
      }
      EXPECT_TRUE(writer->flush());
    }
    EXPECT_TRUE(writer->proc({.pid = 7, .start_ticks = 99, .command = "another"}));
    if (end) {
      EXPECT_TRUE(writer->end({.t_ns = 9'000'000'000'000, .exit_code = 3, .survivors = {}}));
    }
    return writer->id();
  }
  run::Timeline read(const std::string& id) const {
    auto timeline = read_run(home.folder(id), from);
    EXPECT_TRUE(timeline) << timeline.error().message;
    return timeline ? *timeline : run::Timeline{};
  }
  fs::path sealed(const std::string& id) const { return home.folder(id) / kSealedFileName; }
  std::vector<std::string> files(const std::string& id) const {
    std::vector<std::string> out;
    for (const auto& entry : fs::directory_iterator(home.folder(id))) {
      out.push_back(entry.path().filename().string());
    }
    std::ranges::sort(out);
    return out;
  }

  ScratchFolder scratch;
  Home home = Home::at(scratch.path() / "home");
  base::FakeClock clock;
  Viewpoint from = viewpoint_here();
};

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

TEST_F(SealTest, BitFlipsLaterGiveANoteOrAnError) {
  const auto id = record(100);
  const auto before = read(id);
  ASSERT_TRUE(seal_run(home, id, from));
  std::ifstream in(sealed(id), std::ios::binary);
  const std::string bytes{std::istreambuf_iterator<char>(in), {}};
  std::mt19937 random(5);
  int noticed = 0;
  constexpr int kRounds = 100;
  for (int round = 0; round < kRounds; ++round) {
    std::string changed = bytes;
    changed[random() % (round % 2 == 0 ? changed.size() : 2048)] ^=
        static_cast<char>(1U << random() % 8);
    std::ofstream(sealed(id), std::ios::binary) << changed;
    const auto timeline = read_run(home.folder(id), from);
    (void)read_summary(home.folder(id), from);
    if (!timeline || timeline->notes != before.notes) {
      ++noticed;
      continue;
    }
    expect_same_timeline(before, *timeline);  // it hit what means nothing
  }
  EXPECT_GT(noticed, kRounds / 4);
}

TEST_F(SealTest, TruncationGivesANoteOrAnError) {
  const auto id = record(100);
  const auto before = read(id);
  ASSERT_TRUE(seal_run(home, id, from));
  for (auto size = fs::file_size(sealed(id)); size > 600; size -= 512) {
    fs::resize_file(sealed(id), size - 1);
    const auto timeline = read_run(home.folder(id), from);
    if (timeline && timeline->notes == before.notes) {
      expect_same_timeline(before, *timeline);  // the names of metrics were cut off
    }
  }
}

TEST_F(SealTest, WhereTheSealedFormIsUnreadableTheLogCounts) {
  const auto id = record(10);
  const auto before = read(id);
  std::ofstream(sealed(id)) << "no database";
  expect_same_timeline(before, read(id));
  EXPECT_FALSE(seal_run(home, id, from));
  EXPECT_TRUE(fs::exists(home.log(id)));
}

// ---- files of other people

TEST_F(SealTest, AForeignSchemaIsRefused) {
  const char* changes[] = {
      "CREATE VIEW evil AS SELECT 1",
      "CREATE TRIGGER evil AFTER INSERT ON run BEGIN SELECT 1; END",
      "DROP TABLE event; CREATE VIEW event AS SELECT 1 AS seq, 4 AS type, randomblob(9) AS data",
      "ALTER TABLE run ADD COLUMN more",
      "CREATE INDEX slow ON record(payload)",
      "PRAGMA application_id=1",
      "PRAGMA user_version=2",
  };
  for (const char* change : changes) {
    const auto id = record(3);
    ASSERT_TRUE(seal_run(home, id, from));
    {
      auto database = Database::shared(sealed(id), 0);
      ASSERT_TRUE(database);
      ASSERT_TRUE(database->execute(change)) << change;
    }
    EXPECT_FALSE(read_run(home.folder(id), from)) << change;
    EXPECT_FALSE(read_summary(home.folder(id), from)) << change;
  }
}

TEST_F(SealTest, RowsThatWereChangedByHandAreLeftOut) {
  const char* changes[] = {
      "UPDATE chunk SET max=max+1",
      "UPDATE chunk SET count=8192",
      "UPDATE chunk_data SET data=zeroblob(100)",
      "UPDATE times SET data=zeroblob(1000000)",
      "UPDATE event SET raw=4194304",
      "UPDATE event SET data=randomblob(5000)",
      "UPDATE record SET type=4",
      "UPDATE run SET value='{}'",
      "DELETE FROM event",
      "DELETE FROM chunk",
      "DELETE FROM record WHERE seq=(SELECT min(seq) FROM record)",
      "UPDATE chunk_data SET data=(SELECT data FROM chunk_data ORDER BY id DESC LIMIT 1)",
  };
  for (const char* change : changes) {
    const auto id = record(100);
    ASSERT_TRUE(seal_run(home, id, from));
    {
      auto database = Database::shared(sealed(id), 0);
      ASSERT_TRUE(database);
      ASSERT_TRUE(database->execute(change)) << change;
    }
    const auto timeline = read_run(home.folder(id), from);
    ASSERT_TRUE(timeline) << change;
    EXPECT_THAT(timeline->notes, testing::Contains(HasSubstr("damaged"))) << change;
  }
}

// A file that somebody made: its checksums are right, its values are none.
TEST_F(SealTest, ChunksThatFitTheirChecksumAndDoNotDecodeAreNoted) {
  const auto id = record(100);
  ASSERT_TRUE(seal_run(home, id, from));
  const auto notes_of_the_whole = read(id).notes;
  {
    auto database = Database::shared(sealed(id), 0);
    ASSERT_TRUE(database);
    std::vector<std::int64_t> ids;
    auto rows = database->prepare("SELECT id FROM chunk_data");
    ASSERT_TRUE(rows);
    while (rows->step()) ids.push_back(rows->integer(0));
    ASSERT_GT(ids.size(), 1U);
    rows->reset();
    auto change = database->prepare("UPDATE chunk_data SET data=?, checksum=? WHERE id=?");
    ASSERT_TRUE(change);
    for (const std::int64_t chunk : ids) {
      change->bind_blob(1, "no values").bind(2, row_checksum("data", "no values", chunk));
      change->bind(3, chunk);
      ASSERT_TRUE(change->run());
    }
  }
  const auto timeline = read(id);
  ASSERT_FALSE(timeline.series.empty());
  EXPECT_EQ(timeline.notes, notes_of_the_whole);
  EXPECT_EQ(run::all_notes(timeline), notes_of_the_whole) << "nobody has asked yet";
  for (const auto& [key, points] : timeline.series) {
    EXPECT_FALSE(points.empty()) << "it is only found out when they are asked";
    EXPECT_TRUE(points.begin() == points.end());
    EXPECT_FALSE(points.front());
    EXPECT_FALSE(points.back());
  }
  EXPECT_EQ(timeline.notes, notes_of_the_whole);
  const auto notes = run::all_notes(timeline);
  ASSERT_EQ(notes.size(), notes_of_the_whole.size() + 1);
  EXPECT_THAT(notes.back(), HasSubstr("pieces of the recording that were asked for"));
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
