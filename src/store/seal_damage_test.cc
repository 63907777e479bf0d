// What becomes of a sealed run whose file was damaged, cut, or changed by hand.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>
#include <iterator>
#include <random>

#include "store/same_timeline_fixture.h"
#include "store/seal_fixture.h"
#include "store/sealed/sealed_schema.h"
#include "store/sealed/sqlite.h"

namespace flatout::store {
namespace {

namespace fs = std::filesystem;
using base::ErrorCode;
using testing::HasSubstr;

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

}  // namespace
}  // namespace flatout::store
